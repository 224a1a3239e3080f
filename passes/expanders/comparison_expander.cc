// comparison-expander: compares floats in total order by their bits, with those of negative numbers inverted.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[4]{0} parameter(1)
//   ROOT less = pred[4]{0} compare(x, y), direction=LT, type=TOTALORDER
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   bitcast-convert.1 = s32[4]{0} bitcast-convert(x)
//   constant.2 = s32[] constant(31)
//   broadcast.2 = s32[4]{0} broadcast(constant.2), dimensions={}
//   shift-right-arithmetic.1 = s32[4]{0} shift-right-arithmetic(bitcast-convert.1, broadcast.2)
//   constant.3 = s32[] constant(1)
//   broadcast.3 = s32[4]{0} broadcast(constant.3), dimensions={}
//   shift-right-logical.1 = s32[4]{0} shift-right-logical(shift-right-arithmetic.1, broadcast.3)
//   xor.1 = s32[4]{0} xor(bitcast-convert.1, shift-right-logical.1)
//   y = f32[4]{0} parameter(1)
//   bitcast-convert = s32[4]{0} bitcast-convert(y)
//   constant = s32[] constant(31)
//   broadcast = s32[4]{0} broadcast(constant), dimensions={}
//   shift-right-arithmetic = s32[4]{0} shift-right-arithmetic(bitcast-convert, broadcast)
//   constant.1 = s32[] constant(1)
//   broadcast.1 = s32[4]{0} broadcast(constant.1), dimensions={}
//   shift-right-logical = s32[4]{0} shift-right-logical(shift-right-arithmetic, broadcast.1)
//   xor = s32[4]{0} xor(bitcast-convert, shift-right-logical)
//   ROOT compare = pred[4]{0} compare(xor.1, xor), direction=LT
// }
// END
//
// Leaves alone: floats of 8 bits and less, because some have no -0.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

PrimitiveType SignedOf(int bits) {
  return bits == 16   ? PrimitiveType::S16
         : bits == 32 ? PrimitiveType::S32
         : bits == 64 ? PrimitiveType::S64
                      : PrimitiveType::INVALID;
}

// x ^ (x < 0 ? all bits but the sign : 0)
Op Key(HloBuilder& b, Op x) {
  const int bits = BitWidth(x->shape().element_type());
  const Op i = b.BitcastConvert(x, SignedOf(bits));
  if (i == nullptr) return nullptr;
  const Op sign = b.ShiftRightArithmetic(i, b.Full(i->shape(), bits - 1));
  return b.Xor(i, b.ShiftRightLogical(sign, b.Full(i->shape(), 1)));
}

HloInstruction* ExpandComparison(HloInstruction* i, RuleContext& c) {
  const PrimitiveType type = i->operand(0)->shape().element_type();
  if (i->attributes<CompareAttributes>().type != ComparisonType::kFloatTotalOrder || !IsFloat(type) ||
      SignedOf(BitWidth(type)) == PrimitiveType::INVALID) {
    return nullptr;
  }
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    return b.Compare(Key(b, x[0]), Key(b, x[1]), i.attributes<CompareAttributes>().direction);
  });
}

constexpr Rule kComparisonExpanderRules[] = {
    {HloOpcode::kCompare, "expand-comparison", "compare(A, B), total order of floats => compare of integers", kExact,
     kExact, ExpandComparison},
};

}  // namespace
}  // namespace rules

PassDefinition DefineComparisonExpander() { return rules::DefineRulePass(rules::kComparisonExpanderRules); }

}  // namespace hloir
