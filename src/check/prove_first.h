// Proofs for a verdict, before any run: the exact normal form of the module (prove.h), then values one by one over the
// reals (equivalence.h), then the solver for open outputs. Covered by tests/unit/check_proved_test.cc.
#pragma once

#include <string>
#include <vector>

#include "equivalence/equivalence.h"
#include "hloir/check.h"

namespace hloir::check {

struct Proved {
  // `holds`: every output has equal bits on every input. `how`: the argument, or a weaker proof, or the reason for no
  // proof.
  Proof proof;
  // By leaf of the result: the proved answer. kNotJudged, or a missing element, means no proof.
  std::vector<Answer> outputs;
  // By leaf too: the values are equal over the reals without an assumption about the program, and no rounding to a
  // narrower float is added or left out. Finite results then differ by rounding alone, where roots take positive
  // values.
  std::vector<bool> but_for_rounding;
  std::vector<std::string> assumptions, finite_only, rounds_differently;
  Verdict::Steps steps;
  bool over_reals = false;   // in exact mode: proved over the reals, which does not count
  bool draws_alike = false;  // assumes what random numbers one module draws, which no run can show
  bool tested = false;       // some outputs are proved under the assumption of tested steps
  // The proof over the reals with its graph of values, if it leaves an output open.
  equivalence::Result inside;

  // Returns whether every output is proved, at least over the reals.
  bool all() const;
};

// Runs the provers within their own work limits. `exact`: only proofs of equal bits count. `tried_bits`: ProveBitwise
// has left the modules open.
Proved ProveFirst(const HloModule& before, const HloModule& after, bool exact, bool tried_bits = false);
// Proves by the exact normal form alone, which takes a small part of the time. `inside` is then the comparison of bits.
Proved ProveBitwise(const HloModule& before, const HloModule& after);
// Returns whether a proof over the reals may take many seconds.
bool AreLarge(const HloModule& before, const HloModule& after);
// The same for a program on whole arrays and its partitioned form (sharded.h).
Proved ProvePartitioned(const HloModule& before, const HloModule& after);

struct StepTests;
// Uses the proof that assumes the tested steps (steps.h).
void TakeTested(const StepTests& steps, Proved& proved);

// The time and memory that runs of both modules need.
enum class RunSize {
  kSmall,    // many sets of inputs run in a few seconds
  kLarge,    // one set does
  kTooLarge  // no run is tried if there is a proof
};
RunSize SizeOfRuns(const HloModule& before, const HloModule& after);

}  // namespace hloir::check
