// Sums of bf16 and f16: rounded after each addition, in runs of 32 whose sums are summed up the same way. That is the
// order XLA:CPU and the reference take (reference/reduce.cc says why), so the order here is not a choice; rows are
// vector lanes.
#pragma once

#include <memory>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: operand, initial value; the result. nullptr for other reductions.
std::unique_ptr<Step> MakeNarrowSum(const HloInstruction& reduce);

}  // namespace hloir::cpu
