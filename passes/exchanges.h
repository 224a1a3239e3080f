// What several passes need of exchanges between devices: are two alike, which place has a device in its group; and the passes that
// put alike ones together, skip those made before, or do what follows them first.
#pragma once

#include <memory>
#include <string_view>

#include "hloir/builder.h"
#include "hloir/pass.h"

namespace hloir {

// The same opcode among the same groups of devices, along the same dimensions, by computations that are equal. Channels have
// numbers of their own, which do not count, but both have one or neither.
bool SameExchange(const HloInstruction& a, const HloInstruction& b);

// op(A), op(B) => op(A, B): exchanges that are alike and come after equally many such, so that neither waits for the other; within
// CombinerOptions.
std::unique_ptr<HloPass> MakeCombiner(std::string_view name, HloOpcode opcode, std::string_view formula, const PassOptions& options);

// op(A), op(A) => op(A): each pass does so for one opcode.
std::unique_ptr<HloPass> MakeExchangeCse(std::string_view name, HloOpcode opcode, std::string_view formula, const PassOptions& options);

// op(exchange(A), exchange(B)) => exchange(op(A, B)), where the exchange reduces by that very op.
std::unique_ptr<HloPass> MakeReassociate(std::string_view name, HloOpcode opcode, std::string_view formula, const PassOptions& options);

// The running device's place in its group of an all-gather, all-reduce or reduce-scatter, s32[]. nullptr if some device is in none.
HloBuilder::Op PlaceInGroup(HloBuilder& b, const HloInstruction& exchange);

}  // namespace hloir
