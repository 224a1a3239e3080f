// Convolution by its definition, product by product, without terms in padding and in gaps of base dilation: for
// convolutions without a kernel (64-bit integers, huge padding), and for elements that kernels compute wrongly by
// multiplying padding as zeros.
#pragma once

#include <memory>

#include "plan/capability/convolution_plan.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: input, kernel; the result. nullptr if the types have no kernel, or the work is too much for one step (a run is
// cancelled between steps).
std::unique_ptr<Step> MakeElementConvolution(const HloInstruction& convolution, ConvolutionViews views);
// Runs after the kernels: recomputes the result if the kernel has an infinity or a NaN and the result has a NaN, which
// may come from padding. No-op for integers.
std::unique_ptr<Step> MakePaddingRepair(const HloInstruction& convolution, ConvolutionViews views);

}  // namespace hloir::cpu
