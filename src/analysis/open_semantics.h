// Unspecified semantics of reductions: HLO does not specify the order and grouping of the operands, nor the number of
// times that the initial value is counted. Two correct implementations may differ if the reducer is not associative, or
// if its initial value is not neutral. Both properties follow from the computation's structure, never from trying
// values; an unrecognized reducer counts as unspecified. Rounding of floating-point sums and products is not meant
// here.
//
// Example:
//
//   std::string note;
//   if (std::optional<OpenSemantics> open = FindOpenSemantics(module)) {
//     note = std::string(open->instruction->name()) + ": " + open->reason;
//   }
//
// Safe to call from several threads on one module that nobody changes. Tested by tests/unit/open_semantics_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir {

// True if a reduction by this computation (n accumulators, then n elements, giving n accumulators) has the same result
// however its operands are grouped, apart from rounding: single associative operations, independent tuples of them,
// arithmetic that is associative as a polynomial (products of complex numbers or matrices), and selections by
// comparison (argmax and its kin, with their rules for ties and NaN).
bool IsAssociative(const HloComputation& reducer);

// Argmax and argmin: a reducer of two arrays, values and integers that rise along the reduction, which keeps the value
// that is largest, or least, and the first index that has it. A NaN counts as more extreme than all numbers.
struct ArgExtreme {
  bool largest = false;
  // Of several values that are equal but for the sign of zero: the first one's, the last one's, or, as maximum and
  // minimum do, +0 before -0, or -0 before +0.
  enum class Zero { kFirst, kLast, kExtreme } zero = Zero::kFirst;
};
// nullopt if the computation is not recognized as one.
std::optional<ArgExtreme> FindArgExtreme(const HloComputation& reducer);

// An instruction whose result HLO leaves open, and why.
struct OpenSemantics {
  const HloInstruction* instruction = nullptr;
  std::string reason;  // a clause for messages: "its reducer %f is not known to be associative"
};

// The first instruction in the module (reduce, reduce-window, select-and-scatter, scatter, all-reduce, reduce-scatter)
// whose result HLO leaves open; nullopt if there is none.
std::optional<OpenSemantics> FindOpenSemantics(const HloModule& module);
// All of them.
std::vector<OpenSemantics> FindAllOpenSemantics(const HloModule& module);

}  // namespace hloir
