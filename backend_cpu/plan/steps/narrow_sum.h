// Sums of bf16 and f16: rounded after each addition, in runs of 32 whose sums are summed up the same way. XLA:CPU and
// the reference have the same order (reference/reduce.cc has the reason), so the order is fixed; rows are vector lanes.
#pragma once

#include <memory>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: operand, initial value; the result. nullptr for other reductions.
std::unique_ptr<Step> MakeNarrowSum(const HloInstruction& reduce);

}  // namespace hloir::cpu
