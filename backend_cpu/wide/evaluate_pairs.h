// EvaluateInPairs(): a module evaluated in double-double, for the error of f64 results; see pairs.h. Tested by
// tests/unit/pairs_test.cc.
#pragma once

#include <span>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// Evaluates a module by MakePairModule with the reference evaluator, on arguments of the original types; f64 results
// are pairs. Unimplemented names the op that has no double-double form.
StatusOr<Literal> EvaluateInPairs(const HloModule& module, std::span<const Literal* const> arguments,
                                  const EvaluatorOptions& options);

}  // namespace hloir
