// Dynamic shapes: arrays whose actual sizes are smaller than their bounds. An op on such computes what it would compute
// on arrays of the actual sizes, and the result is put back into an array of the bounds. In dynamic.cc.
#pragma once

#include <vector>

#include "reference/evaluation.h"

namespace hloir::reference {

// Whether an operand has actual sizes and the op computes with its elements (rather than passing the array on).
bool NeedsActualSizes(const HloInstruction& instruction, const std::vector<Value>& operands);
StatusOr<Value> EvaluateAtActualSizes(Evaluation& run, const HloInstruction& instruction, std::vector<Value> operands);

// The array without what lies beyond its actual sizes, and an array in a larger one, with zeros around it.
Literal TrimToActualSizes(const Literal& literal);
StatusOr<Literal> PadToBounds(Literal literal, const Shape& bounds);

}  // namespace hloir::reference
