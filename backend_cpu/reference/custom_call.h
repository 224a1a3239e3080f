// Custom-calls that pass operands on: marks for placement and partitioning on one device, and choices that are open.
#pragma once

#include <cstdint>

#include "hloir/instruction.h"

namespace hloir::reference {

// How many of its operands, from the first on, are its value; 0: it is no such call.
int64_t PassedOnOperands(const HloInstruction& call);

}  // namespace hloir::reference
