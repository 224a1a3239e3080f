// bitcast-dtypes-expander: the same bits under a wider or narrower type, by shifts.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = u32[4]{0} parameter(0)
//   ROOT bytes = u8[4,4]{1,0} bitcast-convert(x)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = u32[4]{0} parameter(0)
//   bitcast-convert = u32[4]{0} bitcast-convert(x)
//   broadcast.1 = u32[4,4]{1,0} broadcast(bitcast-convert), dimensions={0}
//   iota = u32[4,4]{1,0} iota(), iota_dimension=1
//   constant = u32[] constant(8)
//   broadcast = u32[4,4]{1,0} broadcast(constant), dimensions={}
//   multiply = u32[4,4]{1,0} multiply(iota, broadcast)
//   shift-right-logical = u32[4,4]{1,0} shift-right-logical(broadcast.1, multiply)
//   constant.1 = u32[] constant(255)
//   broadcast.2 = u32[4,4]{1,0} broadcast(constant.1), dimensions={}
//   and = u32[4,4]{1,0} and(shift-right-logical, broadcast.2)
//   convert = u8[4,4]{1,0} convert(and)
//   ROOT bitcast-convert.1 = u8[4,4]{1,0} bitcast-convert(convert)
// }
// END
//
// The last dimension is that of the parts, the lowest first. Leaves alone: equal widths; parts of less than a byte;
// complex numbers.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

PrimitiveType UnsignedOf(PrimitiveType type) {
  switch (BitWidth(type)) {
    case 8: return PrimitiveType::U8;
    case 16: return PrimitiveType::U16;
    case 32: return PrimitiveType::U32;
    case 64: return PrimitiveType::U64;
    default: return PrimitiveType::INVALID;
  }
}

HloInstruction* ExpandBitcastDtypes(HloInstruction* i, RuleContext& c) {
  const PrimitiveType from = i->operand(0)->shape().element_type(), to = i->shape().element_type();
  if (BitWidth(from) == BitWidth(to) || from == PrimitiveType::PRED || to == PrimitiveType::PRED || IsComplex(from) ||
      UnsignedOf(from) == PrimitiveType::INVALID || UnsignedOf(to) == PrimitiveType::INVALID) {
    return nullptr;
  }
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops x) {
    const PrimitiveType to = i.shape().element_type(), narrow = UnsignedOf(to);
    const PrimitiveType wide = UnsignedOf(x[0]->shape().element_type());
    const Op bits = b.BitcastConvert(x[0], wide);
    if (BitWidth(to) < BitWidth(wide)) {
      // Each part is shifted down to the lowest place.
      const Shape parts = Shape::Array(wide, i.shape().dimensions());
      DimVector dimensions;
      for (int64_t d = 0; d < x[0]->shape().rank(); ++d) dimensions.push_back(d);
      const Op shift = b.Multiply(b.Iota(parts, parts.rank() - 1), b.Full(parts, BitWidth(to)));
      const Op shifted = b.ShiftRightLogical(b.Broadcast(bits, parts.dimensions(), dimensions), shift);
      return b.BitcastConvert(
          b.Convert(b.And(shifted, b.Full(parts, static_cast<double>((uint64_t{1} << BitWidth(to)) - 1))), narrow), to);
    }
    // Each part is shifted up to its place, and all are joined.
    const Shape parts = Shape::Array(narrow, x[0]->shape().dimensions());
    const Op shift = b.Multiply(b.Iota(parts, parts.rank() - 1), b.Full(parts, BitWidth(wide)));
    const Op placed = b.ShiftLeft(b.Convert(bits, narrow), shift);
    const Op joined =
        b.Reduce(placed, b.Constant(narrow, 0), {parts.rank() - 1}, MakeReducer(b.module(), HloOpcode::kOr, narrow));
    return b.BitcastConvert(joined, to);
  });
}

constexpr Rule kBitcastDtypesExpanderRules[] = {
    {HloOpcode::kBitcastConvert, "expand-bitcast-convert", "bitcast-convert(A), to another width => shifts of A",
     kExact, kExact, ExpandBitcastDtypes},
};

}  // namespace
}  // namespace rules

PassDefinition DefineBitcastDtypesExpander() { return rules::DefineRulePass(rules::kBitcastDtypesExpanderRules); }

}  // namespace hloir
