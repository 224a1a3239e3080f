// Properties of a reducer that its structure proves: see associativity.cc. For open_semantics.cc.
#pragma once

#include <span>

#include "hloir/computation.h"
#include "hloir/literal.h"

namespace hloir {

enum class ReducerClass {
  kUnknown,     // not recognized as associative
  kIdempotent,  // associative, and an initial value may be counted any number of times: max, and, argmin, …
  kCounting,    // associative; an initial value must be neutral to be counted more than once: add, multiply, …
};

ReducerClass ClassifyReducer(const HloComputation& reducer);
// For reducers that are known to be associative: combining with these initial values (one for each accumulator; null
// where it is not known) changes nothing.
bool IsNeutral(const HloComputation& reducer, std::span<const Literal* const> initial);

}  // namespace hloir
