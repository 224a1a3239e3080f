// Do two modules compute the same, whatever their inputs? Prove() looks at what they say and runs neither: if both have
// one normal form, they agree on every input, bit for bit, apart from which NaN. Else nothing is said.
//
// Example:
//
//   const Proof proof = Prove(module, module);
//   if (proof.holds) std::puts(proof.how.c_str());
//
// Where integers, conditions or indices are what differs, an SMT solver decides, if hloir was built with one (z3): it
// may also find inputs on which the two differ.
//
// The normal form uses no code of the passes, so what a pass did wrong is not proved right by it: docs/proofs.md.
// Threads: any, while nobody edits the modules. Tested by tests/unit/prove_test.cc.
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
  // "the two have the same structure", "the two have the same normal form"; if it does not hold: why not.
  std::string how;
  // Arguments of the entry on which the reference gives different results for the two; empty if none were found.
  std::vector<Literal> counterexample;
};

// Of parameters of the entry, by number: elements, by linear index.
using ElementValues = std::map<int64_t, std::map<int64_t, int64_t>>;

// How much Prove tries.
struct ProveOptions {
  int64_t max_work = int64_t{1} << 20;     // about what it looks at and makes, in instructions
  int64_t solver_work = int64_t{1} << 21;  // in z3's units (rlimit), of which a second has some millions; 0: no solver
  // Runs both modules with these elements, which the solver found: the arguments if the results differ, else none.
  // Without it there are no counterexamples.
  std::function<std::vector<Literal>(const HloModule& a, const HloModule& b, const ElementValues& elements)> confirm =
      {};
};
// Was hloir built with a solver?
bool HasProofSolver();

Proof Prove(const HloModule& a, const HloModule& b, const ProveOptions& options = {});

}  // namespace hloir
#pragma GCC visibility pop
