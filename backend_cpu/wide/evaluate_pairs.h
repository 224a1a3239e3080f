// EvaluateInPairs(): a module evaluated in double-double, for the error of f64 results; how is pairs.h. Tested by
// tests/unit/pairs_test.cc.
#pragma once

#include <span>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// The result of the entry of such a module (MakePairModule), by the reference evaluator, on arguments of the entry's
// own types; f64 results are pairs. Unimplemented names the op that has no double-double form.
StatusOr<Literal> EvaluateInPairs(const HloModule& module, std::span<const Literal* const> arguments,
                                  const EvaluatorOptions& options);

}  // namespace hloir
