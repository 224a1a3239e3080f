// The custom-calls that jax.experimental.sparse makes: see sparse.cc. For custom_call.cc.
#pragma once

#include "reference/evaluation.h"

namespace hloir::reference {

// True if the target is XLA:CPU's product, one of cuSPARSE's or hipSPARSE's, or cuSOLVER's sparse solver.
bool IsSparseCall(const HloInstruction& call);
StatusOr<Value> EvaluateSparse(EvalContext& context);

}  // namespace hloir::reference
