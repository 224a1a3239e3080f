// JAX's "cpu_csr_sparse_dense_ffi" custom-call: see csr_product.cc. For custom_call.cc.
#pragma once

#include "reference/evaluation.h"

namespace hloir::reference {

StatusOr<Value> EvaluateCsrProduct(EvalContext& context);

}  // namespace hloir::reference
