// reduce, reduce-window and scatter by any computation on scalars, element by element: what no kernel does, such as
// combiners that are not associative, narrow floats that round after each op, complex numbers, and several arrays at
// once.
#pragma once

#include <memory>

#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: the arrays, the initial values; the results. In row-major order from the initial value on, as in the reference.
// nullptr if the computation is more than arithmetic on scalars, or is a sum that the reference makes in another way.
std::unique_ptr<Step> MakeElementReduce(const HloInstruction& reduce, int threads);
// The same for windows, where what the kernels of reduce_window.h do not take is left. A window over all that came
// before is a scan: each result is made from the last.
std::unique_ptr<Step> MakeElementReduceWindow(const HloInstruction& reduce_window, int threads);
// Refs: the arrays, indices, the updates; the results, each of which may take its array's place.
std::unique_ptr<Step> MakeElementScatter(const HloInstruction& scatter);

}  // namespace hloir::cpu
