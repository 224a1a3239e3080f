// Expansions of instructions to ops with kernels: batch normalization, reduce-precision, sums of complex numbers,
// contractions of element types without product kernels, and custom-calls defined in HLO.
#pragma once

#include <memory>

#include "hloir/builder.h"
#include "hloir/module.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

// A module whose entry computation is equivalent to the instruction; nullptr if there is none.
std::unique_ptr<HloModule> ExpandOp(const HloInstruction& instruction);

// The same contraction of operands that are widened to f32 first, if that is faster than to widen them while they are
// packed; otherwise nullptr.
std::unique_ptr<HloModule> WidenFactors(const HloInstruction& instruction, const KernelTable& kernels);

}  // namespace hloir::cpu
