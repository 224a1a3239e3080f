// all-reduce-combiner: combines all-reduces into one of several arrays.
//
// BEFORE
// HloModule example, replica_count=2
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[6]{0} parameter(1)
//   a = f32[8]{0} all-reduce(x), replica_groups={{0,1}}, to_apply=add
//   b = f32[6]{0} all-reduce(y), replica_groups={{0,1}}, to_apply=add
//   ROOT both = (f32[8]{0}, f32[6]{0}) tuple(a, b)
// }
// AFTER
// HloModule example, replica_count=2
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[6]{0} parameter(1)
//   all = (f32[8]{0}, f32[6]{0}) all-reduce(x, y), replica_groups={{0,1}}, to_apply=add
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
constexpr RuleInfo kCombineAllReduces = {"combine", "all-reduce(A), all-reduce(B) => all-reduce(A, B)"};
}  // namespace

PassDefinition DefineAllReduceCombiner() { return DefineCombiner(HloOpcode::kAllReduce, kCombineAllReduces); }

}  // namespace hloir
