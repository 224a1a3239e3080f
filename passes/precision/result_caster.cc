// result-caster: dots and convolutions that give a narrower type than they take, in the type of their operands.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = f32[4,8]{1,0} parameter(0)
//   y = f32[8,2]{1,0} parameter(1)
//   ROOT d = bf16[4,2]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4,8]{1,0} parameter(0)
//   y = f32[8,2]{1,0} parameter(1)
//   d = f32[4,2]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT narrow = bf16[4,2]{1,0} convert(d)
// }
// END
//
// Exact for integers. Floats may be summed in another type, so of class rounding. Leaves alone: operands of two types.
#include "hloir/rewrite/rules.h"

namespace hloir {
namespace rules {
namespace {

// op(A, B), of a narrower type => convert(op(A, B))
HloInstruction* Cast(HloInstruction* i, RuleContext& c) {
  const PrimitiveType from = i->operand(0)->shape().element_type(), to = i->shape().element_type();
  if (i->operand_count() != 2 || from != i->operand(1)->shape().element_type() || from == to ||
      to == PrimitiveType::PRED)
    return nullptr;
  if (!HoldsAllOf(from, to) || !c.Allow()) return nullptr;
  const Shape wide = i->shape().WithElementType(from);
  return c.Convert(c.computation()->AddClone(*i, i->operands(), &wide), to);
}

constexpr std::string_view kResultCasterFormula = "op(A, B), of a narrower type => convert(op(A, B))";
constexpr Rule kResultCasterRules[] = {
    {HloOpcode::kDot, "cast-dot", kResultCasterFormula, kExact, kRounding, Cast},
    {HloOpcode::kConvolution, "cast-convolution", kResultCasterFormula, kExact, kRounding, Cast},
};

}  // namespace
}  // namespace rules

PassDefinition DefineResultCaster() { return rules::DefineRulePass(rules::kResultCasterRules); }

}  // namespace hloir
