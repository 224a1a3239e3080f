// Ranges of the integers of a computation, from their definitions: loop counters, iotas, constants, and arithmetic on
// them that cannot wrap around. An array has one range for all elements; pred counts as 0 and 1. while-loop-simplifier
// decides comparisons by them.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "hloir/module.h"

namespace hloir {

struct IntegerRange {
  __int128 low = 0, high = 0;
  bool is_one_value() const { return low == high; }
};

// The range, if the type holds all of it; a range that wraps around is unknown.
std::optional<IntegerRange> RangeHeld(PrimitiveType type, __int128 low, __int128 high);
// The result of comparing any value of `a` with any of `b`, if it is always the same.
std::optional<bool> DecideComparison(ComparisonDirection direction, IntegerRange a, IntegerRange b);

class IntegerRanges {
 public:
  // `known` comes first; without an answer from it, the range follows from the operands.
  using Known = std::function<std::optional<IntegerRange>(const HloInstruction&)>;
  IntegerRanges(const HloComputation& computation, const Known& known);
  std::optional<IntegerRange> of(const HloInstruction* instruction) const;

 private:
  std::optional<IntegerRange> Find(const HloInstruction& instruction) const;

  std::unordered_map<int32_t, IntegerRange> ranges_;  // by id, of instructions with a known range
};

}  // namespace hloir
