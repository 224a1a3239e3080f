// Costs of custom-calls, by target: products, convolutions, attention, top-k, sorts, Fourier transforms and solvers of
// cuBLAS, cuDNN, cuSOLVER, oneDNN, LAPACK and JAX; docs/cost.md has the formulas. Part of cost.cc's rules;
// tests/unit/cost_test.cc.
#pragma once

#include <optional>

#include "hloir/cost.h"

namespace hloir {

// Without bytes, which are those of operands and result unless the call is an annotation. nullopt: an unknown target,
// or operands that do not fit it.
struct CustomCallModel {
  Cost operations;
  bool moves = true;
};
std::optional<CustomCallModel> ModelOf(const HloInstruction& custom_call);

// 2 x batch x output features x input features of the kernel x positions of the window on an element of the input. The
// dimension numbers must be valid for the shapes.
double ConvolutionFlops(const Shape& input, const Shape& kernel, const Shape& output, const Window& window,
                        const ConvDimensionNumbers& dims);

}  // namespace hloir
