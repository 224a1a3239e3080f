// Properties of a reducer that its structure proves: see associativity.cc. For open_semantics.cc.
#pragma once

#include <span>

#include "hloir/computation.h"
#include "hloir/literal.h"

namespace hloir {

enum class ReducerClass {
  kUnknown,     // not recognized as associative
  kIdempotent,  // associative, and an initial value may be counted any number of times: max, and, argmin, …
  kCounting,    // associative; an initial value that may be counted several times must be neutral: add, multiply, …
};

ReducerClass ClassifyReducer(const HloComputation& reducer);
// For associative reducers: true if these initial values (one for each accumulator; null if unknown) are neutral.
bool IsNeutral(const HloComputation& reducer, std::span<const Literal* const> initial);

}  // namespace hloir
