// Which values the integers of a computation can have, as far as what makes them tells: counters of loops, iotas,
// constants, and arithmetic on them that cannot wrap around. Of an array, one range holds for all elements; pred counts
// as 0 and 1. What while-loop-simplifier decides comparisons by.
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

// The range, if the type holds all of it: what would wrap around is not known.
std::optional<IntegerRange> RangeHeld(PrimitiveType type, __int128 low, __int128 high);
// What the comparison of any value of `a` with any of `b` gives, if it is always the same.
std::optional<bool> DecideComparison(ComparisonDirection direction, IntegerRange a, IntegerRange b);

class IntegerRanges {
 public:
  // `known` is asked first; for what it knows nothing of, the operands are.
  using Known = std::function<std::optional<IntegerRange>(const HloInstruction&)>;
  IntegerRanges(const HloComputation& computation, const Known& known);
  std::optional<IntegerRange> of(const HloInstruction* instruction) const;

 private:
  std::optional<IntegerRange> Find(const HloInstruction& instruction) const;

  std::unordered_map<int32_t, IntegerRange> ranges_;  // by id, of those that something is known of
};

}  // namespace hloir
