// Gives each user of a constant expression its own copy, so that each copy is sharded as its user needs it. JAX shares
// a broadcast constant among users with different shardings, and each device can make its part at no cost. Tested by
// tests/passes/sharding-propagation.
#pragma once

#include "hloir/pass.h"

namespace hloir::spmd {

inline constexpr RuleInfo kSplit = {"split", "f(c), g(c) with c of constants => f(c), g(c') with c' a copy of c"};

bool SplitConstants(HloModule& module, RewriteGate& gate);

}  // namespace hloir::spmd
