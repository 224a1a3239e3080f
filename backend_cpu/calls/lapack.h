// The custom-calls that JAX lowers its linear algebra to on CPUs: lapack_spotrf_ffi and kin, by the machine's own
// LAPACK.
#pragma once

#include <string_view>

#include "reference/evaluation.h"

namespace hloir::reference {

// Whether the target is one of LAPACK's that are known here, in the form of JAX's typed FFI or in the one before it.
bool IsLapackCall(const HloInstruction& call);
// Unimplemented if the machine has no LAPACK.
StatusOr<Value> EvaluateLapack(EvalContext& context);

}  // namespace hloir::reference
