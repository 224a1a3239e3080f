// Holds a module's results against stored ones, XLA's mostly, which were computed elsewhere and rounded in another
// order.
#pragma once

#include <span>

#include "hloir/equivalence.h"
#include "hloir/literal.h"
#include "hloir/module.h"

namespace hloir::tool {

// For each leaf: 32 half-units in the last place of its largest element; and where the module magnifies rounding, 16
// times what we can see of that: how far `result` is from the same module in wider arithmetic, and from the result for
// inputs that are moved by one unit in their last place. `run` computes these where they are needed. Integers must be
// equal, NaNs and infinities in the same places. `result` and `stored` are tuples of leaves.
Comparison CompareWithStored(const HloModule& module, const Literal& result, const Literal& stored,
                             std::span<const Literal* const> inputs, const ModuleRunner& run);

}  // namespace hloir::tool
