// HLO allows float types to be mixed where one type is meant: add(f32, bf16), or a computation that takes f32 called
// with bf16. The op is then evaluated in the widest of its operands' types, and what it gives, or what a computation is
// given, is converted to the type that the graph states. In mixed_precision.cc.
#pragma once

#include <optional>
#include <vector>

#include "reference/evaluation.h"

namespace hloir::reference {

// Same dimensions, and the same types but for the width of floats.
bool SameButForPrecision(const Shape& a, const Shape& b);
// The value with the stated element types.
Value ConformTo(Value value, const Shape& shape);
// For an op whose float operands and result should have one type and do not: the operands converted to the widest, and
// the shape that the result then has. nullopt for all other ops.
std::optional<Shape> WidenOperands(const HloInstruction& instruction, std::vector<Value>* operands);

}  // namespace hloir::reference
