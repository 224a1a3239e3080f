// Dynamic shapes: arrays whose actual sizes are smaller than their bounds. An op on them computes its result for arrays
// of the actual sizes, and stores it into an array of the bounds. In dynamic.cc.
#pragma once

#include <vector>

#include "reference/evaluation.h"

namespace hloir::reference {

// True if an operand has actual sizes and the op computes with its elements (rather than forwarding the array).
bool NeedsActualSizes(const HloInstruction& instruction, const std::vector<Value>& operands);
StatusOr<Value> EvaluateAtActualSizes(Evaluation& run, const HloInstruction& instruction, std::vector<Value> operands);

// The array without elements past its actual sizes, and an array inside a larger one, surrounded by zeros.
Literal TrimToActualSizes(const Literal& literal);
StatusOr<Literal> PadToBounds(Literal literal, const Shape& bounds);

}  // namespace hloir::reference
