// strip-memory-placement-annotations: removes annotations of memory spaces, for devices with one memory.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   away = f32[4]{0} custom-call(x), custom_call_target="MoveToHost"
//   back = f32[4]{0} custom-call(away), custom_call_target="MoveToDevice"
//   ROOT y = f32[4]{0} negate(back)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} negate(x)
// }
// END
//
// The custom-calls MoveToHost, MoveToDevice and annotate_device_placement. host-offloader implements the first two for
// devices with two memories.
#include "hloir/custom_call.h"
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

// custom-call(A) => A
HloInstruction* DropPlacement(HloInstruction* i, RuleContext& c) {
  if (!GetCustomCallInfo(CustomCallOf(*i)).Is(kMemoryPlacement)) return nullptr;
  if (i->operand_count() != 1 || !(i->operand(0)->shape() == i->shape()) || !c.Allow()) return nullptr;
  return i->operand(0);
}

constexpr Rule kPlacementRules[] = {
    {HloOpcode::kCustomCall, "drop-placement", "custom-call(A), a place in memory => A", kExact, kExact, DropPlacement},
};

}  // namespace
}  // namespace rules

PassDefinition DefineStripMemoryPlacementAnnotations() { return rules::DefineRulePass(rules::kPlacementRules); }

}  // namespace hloir
