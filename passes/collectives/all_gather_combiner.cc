// all-gather-combiner: combines all-gathers into one of several arrays.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[6]{0} parameter(1)
//   a = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   b = f32[12]{0} all-gather(y), replica_groups={{0,1}}, dimensions={0}
//   ROOT both = (f32[16]{0}, f32[12]{0}) tuple(a, b)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[6]{0} parameter(1)
//   all = (f32[16]{0}, f32[12]{0}) all-gather(x, y), replica_groups={{0,1}}, dimensions={0}
//   a = f32[16]{0} get-tuple-element(all), index=0
//   b = f32[12]{0} get-tuple-element(all), index=1
//   ROOT both = (f32[16]{0}, f32[12]{0}) tuple(a, b)
// }
// END
//
// Leaves alone: collectives that follow a different number of such collectives, and so might depend on one; collectives
// that differ in more than the channel; sizes over the options max-bytes and max-operands; control dependencies,
// shardings; scheduled modules.
#include "collective_util.h"

namespace hloir {

namespace {
constexpr RuleInfo kCombineAllGathers = {"combine", "all-gather(A), all-gather(B) => all-gather(A, B)"};
}  // namespace

PassDefinition DefineAllGatherCombiner() { return DefineCombiner(HloOpcode::kAllGather, kCombineAllGathers); }

}  // namespace hloir
