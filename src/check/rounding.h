// Where a module rounds: the instructions whose results are rounded, and the computations in which that can be changed.
#pragma once

#include <vector>

#include "hloir/module.h"

namespace hloir::check {

// Is its result, an array of floats or complex numbers, rounded, or left to an approximation? Ops that choose among
// numbers, or move them, do not round; of reductions those do that add or multiply.
bool Rounds(const HloInstruction& instruction);

// The entry and what control flow and fusions call. Others run once for each element (reducers, comparators).
std::vector<HloComputation*> ComputationsThatRunOnce(HloModule& module);

}  // namespace hloir::check
