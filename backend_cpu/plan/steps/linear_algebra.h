// cholesky and triangular-solve, in f64 for all element types, with one rounding at the end: the reference's results,
// computed by contiguous rows instead of by element.
#pragma once

#include <memory>

#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: the operands, in order; the result, and a buffer of `scratch` bytes.
std::unique_ptr<Step> MakeCholesky(const HloInstruction& cholesky, int64_t* scratch);
// nullptr if the matrices are inconsistent.
std::unique_ptr<Step> MakeTriangularSolve(const HloInstruction& solve, int64_t* scratch);

}  // namespace hloir::cpu
