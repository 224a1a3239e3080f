// Convolution as a matrix product: rows are output positions, columns output features, and a product's terms the kernel's taps
// with their input features. What a row reads are places in the input at fixed distances, so that no matrix of windows is
// ever made; padding and gaps are written out first, as zeros, in a copy whose features lie side by side.
//
// An infinite kernel element over padding gives NaN here, as in XLA:CPU; the reference counts padding for nothing.
#pragma once

#include <optional>

#include "plan/dot.h"

namespace hloir::cpu {

struct ConvolutionPlan {
  View input;                         // batch, spatial dimensions, features
  bool copies_input = false;          // to zero-padded `padded_dims`, by `padding`
  PaddingConfig padding;
  DimVector padded_dims;
  GemmProblem problem;
  bool depthwise = false;             // each output feature sees one input feature of its own: `taps` × features of weights
  View weights;                       // taps, features
  DimVector result_dims;              // batch, spatial dimensions, features
  DimVector result_order;             // transposes those to the instruction's dims; empty: they are in order
};
// Nothing: no kernel for these types, or padding beyond reason.
std::optional<ConvolutionPlan> PlanConvolution(const HloInstruction& convolution, const View& input, const View& kernel);
// Refs: input, weights (packed as plan.weights says); the result.
std::unique_ptr<Step> MakeDepthwiseStep(const ConvolutionPlan& plan, const KernelTable& kernels);

}  // namespace hloir::cpu
