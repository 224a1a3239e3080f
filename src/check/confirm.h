// Confirms a solver's counterexample by a run: for ProveOptions::confirm. Covered by tests/unit/prove_test.cc.
#pragma once

#include <vector>

#include "hloir/prove.h"

namespace hloir::check {

// Makes entry arguments with these elements and generated others. Returns them if the reference's results differ.
std::vector<Literal> ConfirmDifference(const HloModule& a, const HloModule& b, const ElementValues& elements);

}  // namespace hloir::check
