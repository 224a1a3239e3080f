// Proofs for a verdict, before any run: the exact normal form of the whole (prove.h), then values one by one over the
// reals (equivalence.h), then the solver for open outputs. Covered by tests/unit/check_proved_test.cc.
#pragma once

#include <string>
#include <vector>

#include "equivalence/equivalence.h"
#include "hloir/check.h"

namespace hloir::check {

struct Proved {
  // `holds`: every output has equal bits on every input. `how`: the reason, a weaker proof, or the reason for none.
  Proof proof;
  // By leaf of the result: the proved answer; kNotJudged, or no element, without a proof.
  std::vector<Answer> outputs;
  std::vector<std::string> assumptions, finite_only, rounds_differently;
  Verdict::Steps steps;
  bool tested = false;  // some outputs are proved but for steps that were tested by themselves
  // The proof over the reals with its graph of values, where it leaves an output open.
  equivalence::Result inside;

  // Every output, over the reals at least.
  bool all() const;
};

// Within the provers' own limits of work. `exact`: only proofs of equal bits count.
Proved ProveFirst(const HloModule& before, const HloModule& after, bool exact);
// The same of a program on whole arrays and its partitioned form (sharded.h).
Proved ProvePartitioned(const HloModule& before, const HloModule& after);

struct StepTests;
// Takes the proof that assumes the tested steps (steps.h).
void TakeTested(const StepTests& steps, Proved& proved);

// The time and memory of runs of both.
enum class RunSize {
  kSmall,    // many sets of inputs are run in a few seconds
  kLarge,    // one is
  kTooLarge  // not to be tried where there is a proof
};
RunSize SizeOfRuns(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
