// Compares terms whose normal forms differ by an SMT solver (z3): one element at an arbitrary index, with arbitrary
// operands. Without z3 (the CMake option HLOIR_Z3) the answer is always unknown. Covered by tests/unit/prove_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "equivalence/prove_terms.h"
#include "hloir/prove.h"

namespace hloir::equivalence {

// The solver's answer about two arrays.
struct Solved {
  bool equal = false;
  // Elements of the entry's parameters, by number and row-major index, for which the two may differ. They need not
  // differ: operations that the solver does not model (floats, dots, …) are uninterpreted. Empty: no model was found.
  ElementValues counterexample;
  std::string why;  // the reason for an unknown answer
};

// `resources` bounds the solver's work deterministically (z3's rlimit).
Solved Solve(const Term* a, const Term* b, int64_t resources);
bool HasSolver();

}  // namespace hloir::equivalence
