// Binds the unbounded dimensions (`?`) of a module to the sizes that follow from its inputs. Covered by
// tests/unit/bind_sizes_test.cc.
#pragma once

#include <span>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

bool HasUnboundedSizes(const HloModule& module);

// `leaves`: the shapes of the arguments for the entry's parameters, depth first. They may differ from the module's only
// in unbounded dimensions, or be within their bounds. Sizes are propagated forward through each op, and backward if an
// op requires equal dimensions. InvalidArgument, naming the instruction, for inconsistent or undetermined sizes; the
// module is then partly changed.
Status BindSizes(HloModule& module, std::span<const Shape> leaves);

}  // namespace hloir
