// Common parts of the expanders of linear algebra: batches of matrices, in the last two dimensions, of real or complex
// numbers. HloBuilder's rules hold: a nullptr passes on.
#pragma once

#include "hloir/builder.h"

namespace hloir {

// 0, 1, … up to the matrices' own two dimensions.
DimVector BatchDimensions(int64_t rank);
// Rows become columns in each matrix.
HloBuilder::Op TransposeMatrices(HloBuilder& b, HloBuilder::Op x);

// Real numbers are their own conjugates and real parts.
HloBuilder::Op Conjugate(HloBuilder& b, HloBuilder::Op x);
HloBuilder::Op RealPart(HloBuilder& b, HloBuilder::Op x);
// Transposed and conjugated.
inline HloBuilder::Op Adjoint(HloBuilder& b, HloBuilder::Op x) { return Conjugate(b, TransposeMatrices(b, x)); }
// Each element over a real number: `divisor` is as large as x.
HloBuilder::Op DivideByReal(HloBuilder& b, HloBuilder::Op x, HloBuilder::Op divisor);
// The sum of |x|^2 over each whole matrix (or column, or row).
HloBuilder::Op SumOfSquares(HloBuilder& b, HloBuilder::Op x);
// Each matrix's largest |x|; of complex numbers, the largest of a real or an imaginary part.
HloBuilder::Op LargestPart(HloBuilder& b, HloBuilder::Op x);

}  // namespace hloir
