// map-inliner: a map of elementwise operations is those operations, on whole arrays.
//
// BEFORE
// HloModule example
//
// f {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   two = f32[] constant(2)
//   twice = f32[] multiply(a, two)
//   ROOT r = f32[] maximum(twice, b)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[8]{0} parameter(1)
//   ROOT m = f32[8]{0} map(x, y), dimensions={0}, to_apply=f
// }
// AFTER
// HloModule example
//
// f {
//   a = f32[] parameter(0)
//   two = f32[] constant(2)
//   twice = f32[] multiply(a, two)
//   b = f32[] parameter(1)
//   ROOT r = f32[] maximum(twice, b)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   constant = f32[] constant(2)
//   broadcast = f32[8]{0} broadcast(constant), dimensions={}
//   twice = f32[8]{0} multiply(x, broadcast)
//   y = f32[8]{0} parameter(1)
//   ROOT r = f32[8]{0} maximum(twice, y)
// }
// END
//
// Leaves alone: bodies with anything but parameters, constants and elementwise operations on scalars.
#include <unordered_map>

#include "hloir/rewrite/rules.h"
#include "hloir/rewrite/util.h"

namespace hloir {
namespace rules {
namespace {

HloInstruction* Inline(HloInstruction* i, RuleContext& c) {
  const HloComputation& body = *i->to_apply();
  for (const HloInstruction* at = body.first(); at != nullptr; at = at->next()) {
    if ((!at->IsParameter() && !at->IsConstant() && !at->Is(kElementwise)) || !at->shape().IsScalar() ||
        at->HasControlDependencies() || HasAnnotations(*at) || at->Is(kImpure)) {
      return nullptr;
    }
  }
  if (!c.HasRoom(body.instruction_count()) || !c.Allow()) return nullptr;
  std::unordered_map<const HloInstruction*, HloInstruction*> whole;
  for (const HloInstruction* at : body.PostOrder()) {
    if (at->IsParameter()) {
      whole[at] = i->operand(at->parameter_number());
    } else if (at->IsConstant()) {
      whole[at] = c.SplatOf(i->shape(), at->literal());
    } else {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : at->operands()) operands.push_back(whole[operand]);
      whole[at] = c.CloneOver(at, operands, i->shape());
    }
  }
  return whole[body.root()];
}

constexpr Rule kMapInlinerRules[] = {
    {HloOpcode::kMap, "inline-map", "map(A), f => f's operations on A", kExact, kExact, Inline},
};

}  // namespace
}  // namespace rules

PassDefinition DefineMapInliner() { return rules::DefineRulePass(rules::kMapInlinerRules); }

}  // namespace hloir
