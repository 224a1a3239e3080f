// collective-permute-combiner: combines collective-permutes into one of several arrays.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[6]{0} parameter(1)
//   a = f32[8]{0} collective-permute(x), source_target_pairs={{0,1},{1,0}}
//   b = f32[6]{0} collective-permute(y), source_target_pairs={{0,1},{1,0}}
//   ROOT both = (f32[8]{0}, f32[6]{0}) tuple(a, b)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[6]{0} parameter(1)
//   all = (f32[8]{0}, f32[6]{0}) collective-permute(x, y), source_target_pairs={{0,1},{1,0}}
//   a = f32[8]{0} get-tuple-element(all), index=0
//   b = f32[6]{0} get-tuple-element(all), index=1
//   ROOT both = (f32[8]{0}, f32[6]{0}) tuple(a, b)
// }
// END
//
// Leaves alone: collectives that follow a different number of such collectives, and so might depend on one; collectives
// that differ in more than the channel; sizes over the options max-bytes and max-operands; control dependencies,
// shardings; scheduled modules.
#include "collective_util.h"

namespace hloir {

namespace {
constexpr RuleInfo kCombineCollectivePermutes = {
    "combine", "collective-permute(A), collective-permute(B) => collective-permute(A, B)"};
}  // namespace

PassDefinition DefineCollectivePermuteCombiner() {
  return DefineCombiner(HloOpcode::kCollectivePermute, kCombineCollectivePermutes);
}

}  // namespace hloir
