// Constants that may have been folded: see FoldedConstants.
#pragma once

#include <unordered_set>

#include "hloir/module.h"

namespace hloir::check {

// Float constants of `after` that a compiler may have computed from constants of `before`, and so rounded.
struct FoldedConstants {
  std::unordered_set<double> values;
  bool is_any_new = false;  // some constant of `after`, rounded or exact, is none of `before`
  // The roundings of each: one, or more if `after` lacks or adds several constants.
  int roundings = 1;
};
// A value that `before` does not have, if it has too many digits to be exact; and the results that a constant of
// `before`, its reciprocal, or two of them, added, subtracted, multiplied or divided, and perhaps negated, give when it
// is rounded to f32, bf16 or f16.
FoldedConstants FindFoldedConstants(const HloModule& before, const HloModule& after);
// The roundings of instructions that depend on constants alone.
int RoundingsOfConstants(const HloModule& module);

}  // namespace hloir::check
