// The work of an instruction in a loop, for the limit on steps (EvaluatorOptions::max_steps). Outside of loops the size
// of a module bounds its work. A loop may run for ever, so that an instruction in it counts by what it computes.
#pragma once

#include <cstdint>

#include "hloir/instruction.h"

namespace hloir::reference {

// Steps that a run of the instruction counts in a loop, beside the one that every instruction counts: one for each 1024
// operations and bytes of CostAlone (hloir/cost.h).
int64_t ExtraSteps(const HloInstruction& instruction);

}  // namespace hloir::reference
