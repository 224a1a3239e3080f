// What proofs say of two modules before any run: the one place where a prover is asked for a verdict.
#pragma once

#include <string>
#include <vector>

#include "hloir/check.h"

namespace hloir::check {

struct Proved {
  // `holds`: every output has equal bits on every input; `how` says why, or why that is not proved.
  Proof proof;
  // By leaf of the result, what is proved of it; kNotJudged, or no element, where nothing is.
  std::vector<Answer> outputs;
  std::vector<std::string> assumptions, finite_only;
  Verdict::Steps steps;
};

// Without a run; within the provers' own limits of work.
Proved ProveFirst(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
