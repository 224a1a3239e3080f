// Finds constants that may be results of constant folding.
#pragma once

#include <unordered_set>

#include "hloir/module.h"

namespace hloir::check {

// Float constants of `after` that a compiler may have computed, with rounding, from constants of `before`.
struct FoldedConstants {
  std::unordered_set<double> values;
  // Constants of `before` alone, of which two have a product or quotient that rounds to 1, a factor that a compiler
  // leaves out: x * 0.1 * 10. Empty unless `after` may have merged factors.
  std::unordered_set<double> left_out;
  bool is_any_new = false;  // some constant of `after`, rounded or exact, is not in `before`
  // The number of roundings of each value: more than one if `after` lacks or adds several constants.
  int roundings = 1;
  // The number of roundings of the product of the constant factors that `after` may have merged; 0 if there are none.
  int of_merged = 0;
};
// Finds values that `before` does not have and that have too many digits to be exact; and results of a constant of
// `before`, its reciprocal, or a sum, difference, product or quotient of two of them, possibly negated, rounded to f64,
// f32, bf16 or f16.
FoldedConstants FindFoldedConstants(const HloModule& before, const HloModule& after);
// The number of roundings of instructions that depend on constants alone.
int RoundingsOfConstants(const HloModule& module);

}  // namespace hloir::check
