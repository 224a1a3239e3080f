// Where the NaN or the infinities of a result begin. Tested by tests/unit/blame_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "hloir/evaluator.h"
#include "hloir/module.h"

namespace hloir::triage {

struct NonfiniteOrigin {
  const HloInstruction* instruction = nullptr;  // the first that makes one, or the argument or constant that has one
  bool nan = false;                             // else an infinity
  std::string value;                            // its value, as ValueSummary gives it
};

// Goes back from the result of `module`, run by the reference on these arguments, through values that have a NaN (if
// the result has one, else an infinity) to one that is computed from values without. nullopt: the result is finite, or
// the module does not run.
std::optional<NonfiniteOrigin> FindNonfinite(const HloModule& module, std::span<const Literal* const> arguments,
                                             EvaluatorOptions options);

}  // namespace hloir::triage
