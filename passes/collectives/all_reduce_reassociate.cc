// all-reduce-reassociate: sums over devices of several values, summed, are one sum over devices.
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
//   sum_x = s32[8]{0} all-reduce(x), replica_groups={{0,1}}, to_apply=add
//   sum_y = s32[8]{0} all-reduce(y), replica_groups={{0,1}}, to_apply=add
//   ROOT both = s32[8]{0} add(sum_x, sum_y)
// }
// AFTER
// HloModule example, entry_computation_layout={(s32[8]{0}, s32[8]{0})->s32[8]{0}}, replica_count=2
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
//   both.1 = s32[8]{0} add(x, y)
//   ROOT sum_x.1 = s32[8]{0} all-reduce(both.1), replica_groups={{0,1}}, to_apply=add
// }
// END
//
// And so products, maxima, minima. Of class rounding for sums and products of floats. Leaves alone: several operands;
// collectives with another user, or that differ in anything but their operand.
#include "collective_util.h"

namespace hloir {

namespace {
constexpr RuleInfo kReassociateAllReduce = {"reassociate", "op(all-reduce(A), all-reduce(B)) => all-reduce(op(A, B))",
                                            MathMode::kExact, MathMode::kRounding};
}  // namespace

PassDefinition DefineAllReduceReassociate() { return DefineReassociate(HloOpcode::kAllReduce, kReassociateAllReduce); }

}  // namespace hloir
