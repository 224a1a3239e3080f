// reduce, reduce-window and scatter by any computation on scalars, element by element, for cases without a kernel:
// combiners that are not associative, narrow floats that round after each op, complex numbers, and several arrays at
// once.
#pragma once

#include <memory>

#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: the arrays, the initial values; the results. In row-major order from the initial value on, as in the reference.
// nullptr if the computation is more than arithmetic on scalars, or is a sum with another order in the reference.
std::unique_ptr<Step> MakeElementReduce(const HloInstruction& reduce, int threads);
// The same for windows that the kernels of reduce_window.h do not support. A window over all earlier elements is a
// scan: each result is computed from the last.
std::unique_ptr<Step> MakeElementReduceWindow(const HloInstruction& reduce_window, int threads);
// Refs: the arrays, indices, the updates; the results, each of which may take its array's place.
std::unique_ptr<Step> MakeElementScatter(const HloInstruction& scatter);

}  // namespace hloir::cpu
