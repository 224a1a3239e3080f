// Custom-calls that pass their operands on: marks for placement and partitioning, on one device.
#pragma once

#include "hloir/instruction.h"

namespace hloir::reference {

bool IsMark(const HloInstruction& call);

}  // namespace hloir::reference
