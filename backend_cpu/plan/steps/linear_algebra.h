// cholesky and triangular-solve, in f64 whatever the matrices hold, one rounding at the end: the reference's numbers,
// by rows that lie side by side instead of element by element.
#pragma once

#include <memory>

#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: the operands, in order; the result, and a buffer of `scratch` bytes.
std::unique_ptr<Step> MakeCholesky(const HloInstruction& cholesky, int64_t* scratch);
// nullptr if the matrices do not fit each other.
std::unique_ptr<Step> MakeTriangularSolve(const HloInstruction& solve, int64_t* scratch);

}  // namespace hloir::cpu
