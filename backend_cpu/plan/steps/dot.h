// Dot: matrix products of any batch, contracting and free dimensions, as blocked GEMM over packed panels. Operands are
// read through their views, so transposes and broadcasts before a dot are part of its packing.
#pragma once

#include <memory>

#include "plan/capability/gemm_problem.h"
#include "plan/run/step.h"
#include "plan/steps/packed_operand.h"

namespace hloir::cpu {

// Refs: A, B; then the result, and a scratch buffer of GemmScratchBytes, if it needs one.
std::unique_ptr<Step> MakeGemmStep(GemmProblem problem, const KernelTable& kernels);
int64_t GemmScratchBytes(const Step& step);

// True if a loop with this product in its body takes less time with B packed before the loop. Such a step, of a problem
// with `b_packed`, reads the packed operand.
bool GainsByPackedB(const GemmProblem& problem, const KernelTable& kernels);
PackedOperand PackedB(const Step& step);

}  // namespace hloir::cpu
