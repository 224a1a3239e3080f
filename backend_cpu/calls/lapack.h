// JAX's custom-calls for linear algebra on CPUs (lapack_spotrf_ffi and others), run by the machine's LAPACK.
#pragma once

#include <string_view>

#include "reference/evaluation.h"

namespace hloir::reference {

// True if the target is a known one of LAPACK, in the form of JAX's typed FFI or the previous one.
bool IsLapackCall(const HloInstruction& call);
// Unimplemented if the machine has no LAPACK.
StatusOr<Value> EvaluateLapack(EvalContext& context);

}  // namespace hloir::reference
