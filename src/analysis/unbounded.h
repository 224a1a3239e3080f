// Unbounded dimensions (`?`), whose sizes are unknown: costs that depend on them are NaN in cost.h.
#pragma once

#include <limits>

#include "hloir/instruction.h"

namespace hloir {

inline constexpr double kUnknownCost = std::numeric_limits<double>::quiet_NaN();

inline bool IsUnboundedArray(const Shape& leaf) {
  for (int64_t d = 0; d < leaf.rank(); ++d)
    if (leaf.is_unbounded_dimension(d)) return true;
  return false;
}
inline bool IsUnbounded(const Shape& shape) {
  if (shape.IsStatic()) return false;
  for (const Shape* leaf : shape.Leaves())
    if (leaf->IsArray() && IsUnboundedArray(*leaf)) return true;
  return false;
}
inline bool TouchesUnbounded(const HloInstruction& i) {
  if (IsUnbounded(i.shape())) return true;
  for (const HloInstruction* operand : i.operands())
    if (IsUnbounded(operand->shape())) return true;
  return false;
}

}  // namespace hloir
