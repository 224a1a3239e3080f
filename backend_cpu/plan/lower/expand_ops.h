// Expansions of instructions to ops with kernels: batch normalization, reduce-precision, sums of complex numbers,
// contractions of element types without product kernels, and custom-calls defined in HLO.
#pragma once

#include <memory>

#include "hloir/builder.h"
#include "hloir/module.h"

namespace hloir::cpu {

// A module whose entry computation is equivalent to the instruction; nullptr if there is none.
std::unique_ptr<HloModule> ExpandOp(const HloInstruction& instruction);

}  // namespace hloir::cpu
