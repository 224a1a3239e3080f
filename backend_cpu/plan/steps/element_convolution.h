// Convolution by its definition, one product after the other, where padding and the gaps of base dilation count for
// nothing: for convolutions without a kernel (64-bit integers, huge padding), and for elements that kernels get wrong
// because they multiply padding as zeros.
#pragma once

#include <memory>

#include "plan/capability/convolution_plan.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: input, kernel; the result. nullptr if the types have no kernel, or the work is too much for one step (a run is
// cancelled between steps).
std::unique_ptr<Step> MakeElementConvolution(const HloInstruction& convolution, ConvolutionViews views);
// Runs after the kernels: does it all again if the kernel has an infinity or a NaN, and the result a NaN, which padding
// may have made of it. Nothing for integers.
std::unique_ptr<Step> MakePaddingRepair(const HloInstruction& convolution, ConvolutionViews views);

}  // namespace hloir::cpu
