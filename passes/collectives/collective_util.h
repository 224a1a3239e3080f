// Common parts of the passes on collectives: similarity of two, a device's position in its group; combining similar
// ones, removing repeated ones, and moving their users before them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "hloir/builder.h"
#include "hloir/pass.h"

namespace hloir {

// True for the same opcode, groups of devices and dimensions, and equal computations. The numbers of channels may
// differ, but both have a channel or neither.
bool SameCollective(const HloInstruction& a, const HloInstruction& b);

// Arrays alone (a permutation in place has tuples for operands), without annotations and control dependencies.
bool IsPlainCollective(const HloInstruction& i);
// The collective of another array, before `place`. Of another element type it reduces by the same operation on that
// type.
HloInstruction* CollectiveOf(const HloInstruction& collective, HloInstruction* operand, const Shape& shape,
                             HloInstruction* place);
// True for the body of a loop.
bool IsLoopBody(const HloComputation& computation);

// Passes for one opcode each, under the rule that the pass's own file declares:
// op(A), op(B) => op(A, B): collectives that are alike and come after equally many such, so that neither waits for the
// other; within the options max-bytes and max-operands.
PassDefinition DefineCombiner(HloOpcode opcode, const RuleInfo& rule);
// op(A), op(A) => op(A)
PassDefinition DefineCollectiveCse(HloOpcode opcode, const RuleInfo& rule);
// op(collective(A), collective(B)) => collective(op(A, B)), where the collective reduces by that very op.
PassDefinition DefineReassociate(HloOpcode opcode, const RuleInfo& rule);

// Start indices for a dynamic-slice of the running device's part, of `size` along dimension `d`, in the whole array of
// an all-gather or reduce-scatter: parts are in the order of the devices in their groups. nullptr if some device is in
// no group.
std::vector<HloBuilder::Op> PartStarts(HloBuilder& b, const HloInstruction& collective, int64_t d, int64_t size);

// The all-reduce among the same devices as an all-gather or reduce-scatter.
template <class A>
AllReduceAttributes AllReduceAmong(const A& a) {
  return {.channel_id = a.channel_id,
          .replica_groups = a.replica_groups,
          .constrain_layout = a.constrain_layout,
          .use_global_device_ids = a.use_global_device_ids};
}

}  // namespace hloir
