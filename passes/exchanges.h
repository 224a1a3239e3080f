// What several passes need of exchanges between devices: are two alike, and the pass that puts alike ones together.
#pragma once

#include <memory>
#include <string_view>

#include "hloir/pass.h"

namespace hloir {

// The same opcode among the same groups of devices, along the same dimensions, by computations that are equal. Channels have
// numbers of their own, which do not count, but both have one or neither.
bool SameExchange(const HloInstruction& a, const HloInstruction& b);

// op(A), op(B) => op(A, B): exchanges that are alike and of which neither waits for the other, within CombinerOptions.
std::unique_ptr<HloPass> MakeCombiner(std::string_view name, HloOpcode opcode, std::string_view formula, const PassOptions& options);

}  // namespace hloir
