// Runs two modules on the same inputs, times them, and says whether they agree: what `verify` and `opt --check-each`
// share.
#pragma once

#include <span>
#include <string>

#include "hloir/equivalence.h"
#include "hloir/module.h"
#include "hloir/status.h"
#include "tools/runner.h"

namespace hloir::tool {

struct AgreeOptions {
  RunnerOptions runner;
  // The rewrites between the two claim to change no bit. If the engine's results differ all the same (it may order sums
  // as the graph's form suggests), the reference evaluator, which does not, must give equal bits.
  bool exact_rewrites = true;
  bool timing = false;  // run each often enough for a median
};

struct Agreement {
  Comparison comparison;
  double before_ms = 0, after_ms = 0;  // medians; 0 without timing
  // Why they do not agree, if they do not.
  std::string reason;
};

// What the first leaf that does not agree has to say; "" if all do.
std::string FirstDisagreement(const Comparison& comparison);

StatusOr<Agreement> Agree(const HloModule& before, const HloModule& after, std::span<const Literal* const> inputs,
                          const AgreeOptions& options);

}  // namespace hloir::tool
