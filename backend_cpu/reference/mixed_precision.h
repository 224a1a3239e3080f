// Values whose float types are not the stated ones. An instruction that mixes floats is legalized before it is
// evaluated (ir/mixed_floats.h); ops that state their types separately, such as sort, fft and the collectives, return
// their computed type, and computations get their operands' types: both are converted to the type that the graph
// states.
#pragma once

#include "reference/evaluation.h"

namespace hloir::reference {

// Same dimensions, and the same types but for the width of floats.
bool SameButForPrecision(const Shape& a, const Shape& b);
// The value with the stated element types.
Value ConformTo(Value value, const Shape& shape);

}  // namespace hloir::reference
