// What is known of custom-calls: products, convolutions, attention, top-k, sorts, Fourier transforms and solvers of
// cuBLAS, cuDNN, cuSOLVER, oneDNN, LAPACK and JAX, by target; docs/cost.md has the formulas. Part of cost.cc's rules;
// tests/unit/cost_test.cc.
#pragma once

#include <optional>

#include "hloir/cost.h"

namespace hloir {

// Without bytes: what it moves is its operands and its result, unless it only annotates. Nothing: an unknown target, or
// operands that do not fit it.
struct CustomCallModel {
  Cost operations;
  bool moves = true;
};
std::optional<CustomCallModel> ModelOf(const HloInstruction& custom_call);

// 2 x batch x output features x input features of the kernel x positions of the window on an element of the input. The
// shapes must have the dimensions that are named.
double ConvolutionFlops(const Shape& input, const Shape& kernel, const Shape& output, const Window& window,
                        const ConvDimensionNumbers& dims);

}  // namespace hloir
