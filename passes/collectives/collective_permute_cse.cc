// collective-permute-cse: removes a collective-permute that repeats an earlier one.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   a = f32[8]{0} collective-permute(x), source_target_pairs={{0,1},{1,0}}
//   b = f32[8]{0} collective-permute(x), source_target_pairs={{0,1},{1,0}}
//   ROOT both = (f32[8]{0}, f32[8]{0}) tuple(a, b)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   a = f32[8]{0} collective-permute(x), source_target_pairs={{0,1},{1,0}}
//   ROOT both = (f32[8]{0}, f32[8]{0}) tuple(a, a)
// }
// END
//
// Leaves alone: other pairs; parts of the value that was sent; control dependencies, shardings. See all-gather-cse.
#include "collective_util.h"

namespace hloir {

namespace {
constexpr RuleInfo kMergeCollectivePermutes = {"merge",
                                               "collective-permute(A), collective-permute(A) => collective-permute(A)"};
}  // namespace

PassDefinition DefineCollectivePermuteCse() {
  return DefineCollectiveCse(HloOpcode::kCollectivePermute, kMergeCollectivePermutes);
}

}  // namespace hloir
