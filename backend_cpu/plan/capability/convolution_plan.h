// Convolution as a matrix product: rows are output positions, columns output features, and a product's terms the
// kernel's taps with their input features. A row reads elements of the input at fixed distances, so no matrix of
// windows is materialized. Padding is skipped: rows are ordered by the set of their terms. If that is not possible
// (packed types, gaps, depthwise, few rows of each set), padding and gaps are first written as zeros into a copy with
// contiguous features. Zeros times infinite weights are NaN, though: see element_convolution.h.
#pragma once

#include <optional>

#include "plan/capability/gemm_problem.h"

namespace hloir::cpu {

// Views have batch, spatial dimensions and features in this order; the kernel's is the instruction's. Only elements of
// the input itself are read, so its view may be part of a padded copy.
struct ConvolutionViews {
  View input, kernel, result;
};

struct ConvolutionPlan {
  View input;                 // batch, spatial dimensions, features
  bool copies_input = false;  // to zero-padded `padded_dims`, by `padding`
  bool pads = false;          // and the padding has elements
  PaddingConfig padding;
  DimVector padded_dims;
  GemmProblem problem;
  bool depthwise = false;              // each output feature reads one input feature: `taps` × features of weights
  View weights;                        // taps, features
  DimVector result_dims;               // batch, spatial dimensions, features
  bool in_phases = false;              // the phases of a transposed convolution: they come first in result_dims, then
                                       // its dims
  std::vector<DimVector> phased_dims;  // the dimensions in result_dims of each of the instruction's dimensions
  ConvolutionViews elements;           // of the input in its copy, and the result before it is transposed
};
// nullopt: no kernel for these types, or too much padding.
std::optional<ConvolutionPlan> PlanConvolution(const HloInstruction& convolution, const View& input, const View& kernel,
                                               const KernelTable& kernels);
// The orders in which the kernels write the result and read the input, major to minor: batch, spatial dimensions,
// features.
DimVector ConvolutionOrder(const HloInstruction& convolution, bool of_result);
// Operands and result for element_convolution.h; the views have the instruction's dimensions.
ConvolutionViews ViewsInOrder(const HloInstruction& convolution, const View& input, const View& kernel,
                              const View& result);

}  // namespace hloir::cpu
