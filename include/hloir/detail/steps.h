// The steps that the limit of a run counts (EvaluatorOptions::max_steps): the same for both engines.
#pragma once

#include <cstdint>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// Of one run of the instruction: one, and one more for each 1024 operations and bytes (hloir/cost.h). The computations
// that it calls count themselves, but one that is applied to elements is an operation for each.
int64_t StepsOf(const HloInstruction& instruction);
// Of one run of each instruction of the module: the work that its size bounds, unlike that of loops and of calls of
// calls.
int64_t StepsOnce(const HloModule& module);

}  // namespace hloir
#pragma GCC visibility pop
