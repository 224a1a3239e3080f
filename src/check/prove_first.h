// What proofs say of two modules before any run: the one place where a prover is asked for a verdict. First the exact
// normal form of the whole (prove.h), then value by value over the reals (equivalence.h), then, for what is open, the
// solver. Covered by tests/unit/check_proved_test.cc.
#pragma once

#include <string>
#include <vector>

#include "equivalence/equivalence.h"
#include "hloir/check.h"

namespace hloir::check {

struct Proved {
  // `holds`: every output has equal bits on every input. `how` says why, or what else is proved, or why nothing is.
  Proof proof;
  // By leaf of the result, what is proved of it; kNotJudged, or no element, where nothing is.
  std::vector<Answer> outputs;
  std::vector<std::string> assumptions, finite_only, rounds_differently;
  Verdict::Steps steps;
  bool tested = false;  // some outputs are proved but for steps that were tested by themselves
  // The proof over the reals with its graph of values, where it leaves an output open.
  equivalence::Result inside;

  // Every output, over the reals at least.
  bool all() const;
};

// Without a run; within the provers' own limits of work. `exact`: only what proves equal bits counts.
Proved ProveFirst(const HloModule& before, const HloModule& after, bool exact);
// The same of a program on whole arrays and its partitioned form (sharded.h).
Proved ProvePartitioned(const HloModule& before, const HloModule& after);

struct StepTests;
// What is open is proved but for steps that were tested (steps.h).
void TakeTested(const StepTests& steps, Proved& proved);

// How long runs of both take, and how much memory.
enum class RunSize {
  kSmall,    // many sets of inputs are run in a few seconds
  kLarge,    // one is
  kTooLarge  // not to be tried where there is a proof
};
RunSize SizeOfRuns(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
