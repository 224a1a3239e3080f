// topk, for the op and for the custom-call "TopK" of frameworks. In sort.cc.
#pragma once

#include "reference/evaluation.h"

namespace hloir::reference {

StatusOr<Value> TopK(const Literal& operand, const Shape& shape, int64_t k, bool largest);

}  // namespace hloir::reference
