// reduce-scatter-reassociate: parts of sums over devices of several values, summed, are a part of one sum over devices.
//
// BEFORE
// HloModule example, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   y = s32[8]{0} parameter(1)
//   sum_x = s32[4]{0} reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add
//   sum_y = s32[4]{0} reduce-scatter(y), replica_groups={{0,1}}, dimensions={0}, to_apply=add
//   ROOT both = s32[4]{0} add(sum_x, sum_y)
// }
// AFTER
// HloModule example, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   y = s32[8]{0} parameter(1)
//   both = s32[8]{0} add(x, y)
//   ROOT sum = s32[4]{0} reduce-scatter(both), replica_groups={{0,1}}, dimensions={0}, to_apply=add
// }
// END
//
// See all-reduce-reassociate.
#include "collective_util.h"

namespace hloir {

namespace {
constexpr RuleInfo kReassociateReduceScatter = {"reassociate",
                                                "op(reduce-scatter(A), reduce-scatter(B)) => reduce-scatter(op(A, B))",
                                                MathMode::kExact, MathMode::kRounding};
}  // namespace

PassDefinition DefineReduceScatterReassociate() {
  return DefineReassociate(HloOpcode::kReduceScatter, kReassociateReduceScatter);
}

}  // namespace hloir
