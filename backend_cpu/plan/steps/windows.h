// Steps that slide a window over an array: reduce-window (pooling, cumulative sums) and select-and-scatter (the
// gradient of max pooling). Arrays lie in order.
#pragma once

#include <memory>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Elements under a window; INT64_MAX for absurdly many.
int64_t TapCount(const Window& window);
// Refs: operand, initial value; the result. nullptr if the computation is not a plain binary operation on a type that
// tiles hold, or there are several operands. Operand and result lie in `order`, major to minor; empty: as they are
// numbered.
std::unique_ptr<Step> MakeReduceWindow(const HloInstruction& reduce_window, const KernelTable& kernels,
                                       const DimVector& order);
// Refs: operand, source, initial value; the result. Nothing, unless it selects by one comparison and adds.
std::unique_ptr<Step> MakeSelectAndScatter(const HloInstruction& select_and_scatter);

}  // namespace hloir::cpu
