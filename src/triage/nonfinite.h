// The origin of NaN or infinities in a result. Tested by tests/unit/blame_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "hloir/evaluator.h"
#include "hloir/module.h"

namespace hloir::triage {

struct NonfiniteOrigin {
  // The first instruction that computes one, or the argument or constant that contains one.
  const HloInstruction* instruction = nullptr;
  bool nan = false;   // NaN, otherwise an infinity
  std::string value;  // as text, see ValueSummary
};

// Walks from the result of `module`, run by the reference on these arguments, through operands with a NaN (or, if the
// result has none, an infinity) to an instruction whose operands have none. nullopt: the result is finite, or the
// module does not run.
std::optional<NonfiniteOrigin> FindNonfinite(const HloModule& module, std::span<const Literal* const> arguments,
                                             EvaluatorOptions options);

}  // namespace hloir::triage
