// Steps that slide a window over an array: reduce-window (pooling, cumulative sums) and select-and-scatter (the
// gradient of max pooling). Arrays are row-major.
#pragma once

#include <memory>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: operand, initial value; the result. nullptr if there is no kernel: see PlanReduceWindow.
std::unique_ptr<Step> MakeReduceWindow(const HloInstruction& reduce_window, const KernelTable& kernels,
                                       const DimVector& order);
// Refs: operand, source, initial value; the result. nullptr unless it selects by one comparison and adds.
std::unique_ptr<Step> MakeSelectAndScatter(const HloInstruction& select_and_scatter);

}  // namespace hloir::cpu
