// reduce-scatter-combiner: combines reduce-scatters into one of several arrays.
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
//   a = f32[4]{0} reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add
//   b = f32[3]{0} reduce-scatter(y), replica_groups={{0,1}}, dimensions={0}, to_apply=add
//   ROOT both = (f32[4]{0}, f32[3]{0}) tuple(a, b)
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
//   all = (f32[4]{0}, f32[3]{0}) reduce-scatter(x, y), replica_groups={{0,1}}, dimensions={0}, to_apply=add
//   a = f32[4]{0} get-tuple-element(all), index=0
//   b = f32[3]{0} get-tuple-element(all), index=1
//   ROOT both = (f32[4]{0}, f32[3]{0}) tuple(a, b)
// }
// END
//
// Leaves alone: collectives at different depths of such collectives, one of which might depend on the other; those that
// differ in more than the channel, or exceed the limits (the options max-bytes and max-operands); control dependencies,
// shardings; scheduled modules.
#include "collective_util.h"

namespace hloir {

namespace {
constexpr RuleInfo kCombineReduceScatters = {"combine", "reduce-scatter(A), reduce-scatter(B) => reduce-scatter(A, B)"};
}  // namespace

PassDefinition DefineReduceScatterCombiner() {
  return DefineCombiner(HloOpcode::kReduceScatter, kCombineReduceScatters);
}

}  // namespace hloir
