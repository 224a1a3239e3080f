// Terms that are no longer of one form, held against each other by an SMT solver (z3): one element at an index that may
// be any, over operands that may have any value. Without z3 (the CMake option HLOIR_Z3) nothing is ever found. Covered
// by tests/unit/prove_test.cc.
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
  // Elements of the entry's parameters, by number and row-major index, for which the two may differ: may, as what the
  // solver cannot look into (floats, dots, …) it takes for anything. Empty: nothing was found.
  ElementValues counterexample;
  std::string why;  // why it says neither
};

// `resources` bounds the solver's work, which is the same each time (z3's rlimit).
Solved Solve(const Term* a, const Term* b, int64_t resources);
bool HasSolver();

}  // namespace hloir::equivalence
