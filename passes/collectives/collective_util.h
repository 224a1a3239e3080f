// What several passes need of exchanges between devices: are two alike, which place has a device in its group; and the
// passes that put alike ones together, skip those made before, or do what follows them first.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "hloir/builder.h"
#include "hloir/pass.h"

namespace hloir {

// The same opcode among the same groups of devices, along the same dimensions, by computations that are equal. Channels
// have numbers of their own, which do not count, but both have one or neither.
bool SameExchange(const HloInstruction& a, const HloInstruction& b);

// Arrays alone (a permutation in place has tuples for operands), without annotations and control dependencies.
bool IsPlainExchange(const HloInstruction& i);
// The exchange of another array, before `place`. Of another element type it reduces by the same operation on that type.
HloInstruction* ExchangeOf(const HloInstruction& exchange, HloInstruction* operand, const Shape& shape,
                           HloInstruction* place);
// Is it the body of a loop?
bool IsLoopBody(const HloComputation& computation);

// op(A), op(B) => op(A, B): exchanges that are alike and come after equally many such, so that neither waits for the
// other; within CombinerOptions.
std::unique_ptr<HloPass> MakeCombiner(std::string_view name, HloOpcode opcode, std::string_view formula,
                                      const PassOptions& options);

// op(A), op(A) => op(A): each pass does so for one opcode.
std::unique_ptr<HloPass> MakeExchangeCse(std::string_view name, HloOpcode opcode, std::string_view formula,
                                         const PassOptions& options);

// op(exchange(A), exchange(B)) => exchange(op(A, B)), where the exchange reduces by that very op.
std::unique_ptr<HloPass> MakeReassociate(std::string_view name, HloOpcode opcode, std::string_view formula,
                                         const PassOptions& options);

// Where the running device's part, of `size` along dimension `d`, begins in the whole of an all-gather or
// reduce-scatter, for dynamic slices of it: parts lie by the devices' places in their groups. One is nullptr if some
// device is in no group.
std::vector<HloBuilder::Op> PartStarts(HloBuilder& b, const HloInstruction& exchange, int64_t d, int64_t size);

// The all-reduce among the same devices as an all-gather or reduce-scatter.
template <class A>
AllReduceAttributes AllReduceAmong(const A& a) {
  return {.channel_id = a.channel_id,
          .replica_groups = a.replica_groups,
          .constrain_layout = a.constrain_layout,
          .use_global_device_ids = a.use_global_device_ids};
}

}  // namespace hloir
