// stochastic-convert-decomposer: random rounding to an integer, as the comparison of the fraction with the random bits.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   random = u32[4]{0} parameter(1)
//   ROOT y = s8[4]{0} stochastic-convert(x, random)
// }
// AFTER
// END
//
// The fraction's first bits, as many as there are random ones, are a whole number: a fraction over the random number
// rounds away from zero. Leaves alone: conversions to floats, which round by other rules.
#include <cmath>

#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

HloInstruction* DecomposeStochasticConvert(HloInstruction* i, RuleContext& c) {
  if (!IsInteger(i->shape().element_type()) || !IsFloating(i->operand(0)) ||
      !IsUnsigned(i->operand(1)->shape().element_type()))
    return nullptr;
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    const PrimitiveType bits = x[1]->shape().element_type();
    // f16 has no number as large as 2^16.
    const Op value =
        b.Convert(x[0], x[0]->shape().element_type() == PrimitiveType::F64 ? PrimitiveType::F64 : PrimitiveType::F32);
    if (value == nullptr) return Op{nullptr};
    const Op magnitude = b.Abs(value), whole = b.Floor(magnitude);
    const Op fraction =
        b.Multiply(b.Subtract(magnitude, whole), b.Full(value->shape(), std::ldexp(1.0, BitWidth(bits))));
    const Op up = b.Compare(x[1], b.Convert(fraction, bits), ComparisonDirection::kLt);
    const Op rounded = b.Select(up, b.Add(whole, b.Full(value->shape(), 1)), whole);
    const Op negative = b.Compare(value, b.Full(value->shape(), 0), ComparisonDirection::kLt);
    return b.Convert(b.Select(negative, b.Negate(rounded), rounded), i.shape().element_type());
  });
}

constexpr Rule kStochasticConvertDecomposerRules[] = {
    {HloOpcode::kStochasticConvert, "decompose-stochastic-convert",
     "stochastic-convert(A, bits) => floor(|A|), + 1 where bits < its fraction", kExact, kExact,
     DecomposeStochasticConvert},
};

}  // namespace
}  // namespace rules

PassDefinition DefineStochasticConvertDecomposer() {
  return rules::DefineRulePass(rules::kStochasticConvertDecomposerRules);
}

}  // namespace hloir
