// optimization-barrier-expander: removes optimization barriers, after the passes that they restrict.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[4]{0} negate(x)
//   kept_apart = f32[4]{0} opt-barrier(y)
//   ROOT z = f32[4]{0} negate(kept_apart)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[4]{0} negate(x)
//   ROOT z = f32[4]{0} negate(y)
// }
// END
//
// Not in the default pipeline: before other passes it would defeat the barrier. Leaves alone: control dependencies,
// shardings that would get lost.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

// opt-barrier(A) => A
HloInstruction* Drop(HloInstruction* i, RuleContext& c) { return c.ReplaceWith(i->operand(0)); }

constexpr Rule kOptimizationBarrierExpanderRules[] = {
    {HloOpcode::kOptimizationBarrier, "drop", "opt-barrier(A) => A", kExact, kExact, Drop},
};

}  // namespace
}  // namespace rules

PassDefinition DefineOptimizationBarrierExpander() {
  return rules::DefineRulePass(rules::kOptimizationBarrierExpanderRules);
}

}  // namespace hloir
