// Proves that two modules compute the same function. Prove() normalizes both modules and runs neither: if both have the
// same normal form, they agree on every input, bit for bit, except for the bits of NaNs. Otherwise nothing is proved or
// refuted.
//
// Example:
//
//   const Proof proof = Prove(module, module);
//   if (proof.holds) std::puts(proof.how.c_str());
//
// If the normal forms differ in integers, conditions or indices, an SMT solver (z3, optional) tries to prove them
// equal; it may also find inputs on which the modules differ.
//
// The normal form shares no code with the passes, so a bug in a pass cannot hide itself: docs/proofs.md. Threads: any,
// while none edits the modules. Tested by tests/unit/prove_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hloir/literal.h"
#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// What came of it.
struct Proof {
  bool holds = false;
  // "the two have the same structure", "the two have the same normal form"; if it does not hold, the reason.
  std::string how;
  // Arguments of the entry for which the reference returns different results; empty if none were found.
  std::vector<Literal> counterexample;
};

// Elements of the entry's parameters: by parameter number and linear index.
using ElementValues = std::map<int64_t, std::map<int64_t, int64_t>>;

// How much Prove tries.
struct ProveOptions {
  int64_t max_work = int64_t{1} << 20;     // the limit of its work, approximately in instructions
  int64_t work_for_each = 32;              // added for each instruction
  int64_t solver_work = int64_t{1} << 21;  // the solver's limit in z3's units (rlimit), some millions a second; 0: no
                                           // solver
  // Runs both modules with the elements found by the solver; returns the arguments if the results differ. Without it
  // there are no counterexamples.
  std::function<std::vector<Literal>(const HloModule& a, const HloModule& b, const ElementValues& elements)> confirm =
      {};
};
// True if hloir was built with a solver.
bool HasProofSolver();

Proof Prove(const HloModule& a, const HloModule& b, const ProveOptions& options = {});

}  // namespace hloir
#pragma GCC visibility pop
