// Values whose float types differ from the stated ones. An instruction with mixed floats is legalized before its
// evaluation (ir/mixed_floats.h); ops that state their types separately, such as sort, fft and the collectives, return
// their computed type, and computations get their operands' types: both are converted to the stated type.
#pragma once

#include "reference/evaluation.h"

namespace hloir::reference {

// True for equal dimensions, and equal types except for the width of floats.
bool SameButForPrecision(const Shape& a, const Shape& b);
// The value with the stated element types.
Value ConformTo(Value value, const Shape& shape);

}  // namespace hloir::reference
