// A depthwise convolution: each output feature reads one input feature. For a ConvolutionPlan with `depthwise` set.
#pragma once

#include <memory>

#include "plan/capability/convolution_plan.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: input, weights (packed as plan.weights says); the result.
std::unique_ptr<Step> MakeDepthwiseStep(const ConvolutionPlan& plan, const KernelTable& kernels);

}  // namespace hloir::cpu
