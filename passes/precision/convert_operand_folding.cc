// convert-operand-folding: dots and convolutions that may take narrower operands than they compute with take them as
// they are.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = s8[4,8]{1,0} parameter(0)
//   a = s32[4,8]{1,0} convert(x)
//   y = s8[8,2]{1,0} parameter(1)
//   b = s32[8,2]{1,0} convert(y)
//   ROOT d = s32[4,2]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = s8[4,8]{1,0} parameter(0)
//   y = s8[8,2]{1,0} parameter(1)
//   ROOT d = s32[4,2]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// END
//
// operand-upcaster undoes it. Exact for integers; floats may be summed in another type, so of class rounding. Leaves
// alone: operands of two types, types that do not hold all of the narrower one's values, dots whose algorithm is given.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

// op(convert(A), convert(B)), of the wider type => op(A, B)
HloInstruction* Fold(HloInstruction* i, RuleContext& c) {
  const PrimitiveType type = i->shape().element_type();
  if (i->operand_count() != 2 ||
      (i->opcode() == HloOpcode::kDot && i->attributes<DotAttributes>().algorithm != DotAlgorithm::kUnset))
    return nullptr;
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : i->operands()) {
    if (operand->opcode() != HloOpcode::kConvert || operand->shape().element_type() != type) return nullptr;
    operands.push_back(operand->operand(0));
    const PrimitiveType from = operands.back()->shape().element_type();
    if (from != operands[0]->shape().element_type() || from == type || from == PrimitiveType::PRED ||
        !HoldsAllOf(type, from))
      return nullptr;
    // Products of integers are of floats only once they are converted.
    if (IsInteger(from) != IsInteger(type)) return nullptr;
  }
  return c.Allow() ? c.computation()->AddClone(*i, operands) : nullptr;
}

constexpr std::string_view kOperandFoldingFormula = "op(convert(A), convert(B)), of a wider type => op(A, B)";
constexpr Rule kConvertOperandFoldingRules[] = {
    {HloOpcode::kDot, "fold-into-dot", kOperandFoldingFormula, kExact, kRounding, Fold},
    {HloOpcode::kConvolution, "fold-into-convolution", kOperandFoldingFormula, kExact, kRounding, Fold},
};

}  // namespace
}  // namespace rules

PassDefinition DefineConvertOperandFolding() { return rules::DefineRulePass(rules::kConvertOperandFoldingRules); }

}  // namespace hloir
