// What HLO leaves open about a reduction: in which order and how grouped its operands are combined, and how often the
// initial value is counted. Two correct implementations may differ where the reducer is not associative, or where its
// initial value is not neutral. Both are decided by the computation's structure, never by trying values: what is not
// recognized counts as open. Rounding of floating-point sums and products is not meant here.
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

#pragma GCC visibility push(default)
namespace hloir {

// True if a reduction by this computation (n accumulators, then n elements, giving n accumulators) has the same result
// however its operands are grouped, apart from rounding: single associative operations, independent tuples of them,
// arithmetic that is associative as a polynomial (products of complex numbers or matrices), and selections by
// comparison (argmax and its kin, with their rules for ties and NaN).
bool IsAssociative(const HloComputation& reducer);

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
#pragma GCC visibility pop
