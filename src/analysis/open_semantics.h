// Unspecified semantics of reductions: HLO does not specify the order and grouping of the operands, nor the number of
// times that the initial value is counted. Two correct implementations may differ if the reducer is not associative, or
// if its initial value is not neutral. Both properties follow from the computation's structure, never from sampled
// values; an unrecognized reducer counts as unspecified. Rounding of floating-point sums and products is not
// considered.
//
// Example:
//
//   std::string note;
//   if (std::optional<OpenSemantics> open = FindOpenSemantics(module)) {
//     note = std::string(open->instruction->name()) + ": " + open->reason;
//   }
//
// Threads: may be called from any thread while none edits the module. Tested by tests/unit/open_semantics_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir {

// True if the result of a reduction by this computation (n accumulators and n elements to n accumulators) is
// independent of the grouping, except for rounding: single associative operations, independent tuples of them,
// arithmetic that is associative as a polynomial (products of complex numbers or matrices), and selections by
// comparison (argmax and its kin, with their rules for ties and NaN).
bool IsAssociative(const HloComputation& reducer);

// Argmax and argmin: a reducer of two arrays, values and integers that rise along the reduction, which keeps the
// largest or smallest value and its first index. A NaN is more extreme than all numbers.
struct ArgExtreme {
  bool largest = false;
  // The choice between zeros of different signs: the first, the last or, as in maximum and minimum, +0 before -0 or -0
  // before +0.
  enum class Zero { kFirst, kLast, kExtreme } zero = Zero::kFirst;
};
// nullopt if the computation is not recognized as one.
std::optional<ArgExtreme> FindArgExtreme(const HloComputation& reducer);

// An instruction whose result HLO does not specify, and the reason.
struct OpenSemantics {
  const HloInstruction* instruction = nullptr;
  std::string reason;  // a clause for messages: "its reducer %f is not known to be associative"
};

// The first instruction in the module (reduce, reduce-window, select-and-scatter, scatter, all-reduce, reduce-scatter)
// whose result HLO does not specify; nullopt if there is none.
std::optional<OpenSemantics> FindOpenSemantics(const HloModule& module);
// All of them.
std::vector<OpenSemantics> FindAllOpenSemantics(const HloModule& module);

}  // namespace hloir
