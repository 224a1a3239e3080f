// Where two modules part: the first instruction that both have, by name, and that gives other values in one than in the
// other. What `verify` says when results disagree. tests/unit/parting_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "hloir/module.h"
#include "hloir/status.h"
#include "tools/runner.h"

namespace hloir::tool {

struct Parting {
  std::string instruction;
  int64_t turn = 0;           // how often it had run before: in a loop, or a computation that is called several times
  std::string before, after;  // its values, in short
};

// Both are run by the reference evaluator. Differences that rounding explains do not count. Nothing: all that both have
// agrees, or no such thing could be found in `options.max_steps` and within a few hundred megabytes.
std::optional<Parting> FindParting(const HloModule& before, const HloModule& after,
                                   std::span<const Literal* const> inputs, const RunnerOptions& options);
// "multiply.3 is the first instruction of both that differs: …, then …"
std::string ToString(const Parting& parting);

}  // namespace hloir::tool
