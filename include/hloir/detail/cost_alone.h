// The cost of one instruction by itself, for the limit on the steps of a run: see hloir/cost.h for the units.
#pragma once

#include "hloir/cost.h"

#pragma GCC visibility push(default)
namespace hloir {

// Without the computations that it calls: a call, loop, conditional or fusion costs nothing itself, and a computation
// that is applied to elements counts as one operation for each.
Cost CostAlone(const HloInstruction& instruction);

}  // namespace hloir
#pragma GCC visibility pop
