// Constants that may have been folded: see FoldedConstants.
#pragma once

#include <unordered_set>

#include "hloir/module.h"

namespace hloir::check {

// Float constants of `after` that a compiler may have computed from constants of `before`, and so rounded.
struct FoldedConstants {
  std::unordered_set<double> values;
  // How often each may have been rounded: once, or more if several constants have gone or come.
  int roundings = 1;
};
// A value that `before` does not have, if it has too many digits to be exact; and what a constant of `before`, its
// reciprocal, or two of them, added, subtracted, multiplied or divided, and perhaps negated, give when it is rounded to
// f32, bf16 or f16.
FoldedConstants FindFoldedConstants(const HloModule& before, const HloModule& after);
// How often what is computed from constants alone rounds.
int RoundingsOfConstants(const HloModule& module);

}  // namespace hloir::check
