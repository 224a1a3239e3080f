// Whether values that a solver found show that two modules differ: for ProveOptions::confirm. Tested by
// tests/unit/prove_test.cc.
#pragma once

#include <vector>

#include "hloir/prove.h"

namespace hloir::check {

// Arguments of the entry with these elements, the rest made up, if the reference gives different results on them.
std::vector<Literal> ConfirmDifference(const HloModule& a, const HloModule& b, const ElementValues& elements);

}  // namespace hloir::check
