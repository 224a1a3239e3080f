// The custom-calls that JAX lowers its linear algebra to on CPUs: lapack_spotrf_ffi and kin, by the machine's own
// LAPACK.
#pragma once

#include <string_view>

#include "reference/evaluation.h"

namespace hloir::reference {

// True if the target is a known one of LAPACK, in the form of JAX's typed FFI or the one before it.
bool IsLapackCall(const HloInstruction& call);
// Unimplemented if the machine has no LAPACK.
StatusOr<Value> EvaluateLapack(EvalContext& context);

}  // namespace hloir::reference
