// Unbounded dimensions (`?`) of a module get the sizes that follow from its inputs. Covered by
// tests/unit/bind_sizes_test.cc.
#pragma once

#include <span>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

bool HasUnboundedSizes(const HloModule& module);

// `leaves`: the shapes of the arrays that are given for the entry's parameters, depth first. They differ from the
// module's in unbounded dimensions alone, or are within their bounds.
// Sizes follow forward through each op, and backward where an op demands equal dimensions. InvalidArgument, with the
// instruction: sizes do not fit, or do not follow. The module is then changed in part.
Status BindSizes(HloModule& module, std::span<const Shape> leaves);

}  // namespace hloir
