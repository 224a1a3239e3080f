// Instructions written out for the plan's kernels, op by op: batch normalization, reduce-precision, sums of complex
// numbers, contractions of element types that the product kernels do not take, and custom-calls with a meaning in HLO.
#pragma once

#include <memory>

#include "hloir/builder.h"
#include "hloir/module.h"

namespace hloir::cpu {

// A module whose entry computation does the same to the same operands; nullptr if there is none.
std::unique_ptr<HloModule> ExpandOp(const HloInstruction& instruction);

}  // namespace hloir::cpu
