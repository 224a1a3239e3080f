// all-gather-cse: removes an all-gather that repeats an earlier one.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   a = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   b = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT both = (f32[16]{0}, f32[16]{0}) tuple(a, b)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   a = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT both = (f32[16]{0}, f32[16]{0}) tuple(a, a)
// }
// END
//
// Leaves alone: other groups or dimensions; control dependencies, shardings. (cse leaves all collectives alone, for a
// device that comes to one must not wait for others in vain; here all devices run the same module, and skip the same
// one.)
#include "collective_util.h"

namespace hloir {

namespace {
constexpr RuleInfo kMergeAllGathers = {"merge", "all-gather(A), all-gather(A) => all-gather(A)"};
}  // namespace

PassDefinition DefineAllGatherCse() { return DefineCollectiveCse(HloOpcode::kAllGather, kMergeAllGathers); }

}  // namespace hloir
