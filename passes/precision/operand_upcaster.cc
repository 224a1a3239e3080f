// operand-upcaster: dots and convolutions that give a wider type than they take, on operands of that type.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = s8[4,8]{1,0} parameter(0)
//   y = s8[8,2]{1,0} parameter(1)
//   ROOT d = s32[4,2]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = s8[4,8]{1,0} parameter(0)
//   convert = s32[4,8]{1,0} convert(x)
//   y = s8[8,2]{1,0} parameter(1)
//   convert.1 = s32[8,2]{1,0} convert(y)
//   ROOT d.1 = s32[4,2]{1,0} dot(convert, convert.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// END
//
// Exact for integers. Floats may be summed in another type, so of class rounding. Leaves alone: types that do not hold
// all values of the operands'.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

// op(A, B), of a wider type => op(convert(A), convert(B))
HloInstruction* Upcast(HloInstruction* i, RuleContext& c) {
  const PrimitiveType type = i->shape().element_type();
  if (i->operand_count() != 2) return nullptr;
  bool narrower = false;
  for (const HloInstruction* operand : i->operands()) {
    const PrimitiveType from = operand->shape().element_type();
    if (from == PrimitiveType::PRED || !HoldsAllOf(type, from)) return nullptr;
    narrower |= from != type;
  }
  if (!narrower || !c.Allow()) return nullptr;
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : i->operands()) {
    operands.push_back(operand->shape().element_type() == type ? operand : c.Convert(operand, type));
  }
  return c.CloneOver(i, operands, i->shape());
}

constexpr std::string_view kOperandUpcasterFormula = "op(A, B), of a wider type => op(convert(A), convert(B))";
constexpr Rule kOperandUpcasterRules[] = {
    {HloOpcode::kDot, "upcast-dot", kOperandUpcasterFormula, kExact, kRounding, Upcast},
    {HloOpcode::kConvolution, "upcast-convolution", kOperandUpcasterFormula, kExact, kRounding, Upcast},
};

}  // namespace
}  // namespace rules

PassDefinition DefineOperandUpcaster() { return rules::DefineRulePass(rules::kOperandUpcasterRules); }

}  // namespace hloir
