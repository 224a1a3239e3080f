// Loops over the same elements that read the same values, or one the other's results, become one with several results.
#pragma once

#include "fusion/build.h"
#include "fusion/pairs.h"
#include "hloir/rewrite.h"

namespace hloir::fusion {

inline constexpr RuleInfo kMultiOutput = {"multi-output", "f(A), g(A, f(A)) => fusion(A)"};

// Until no two loops of the computation would gain by it. True: something was joined.
bool JoinLoops(HloComputation& computation, const Limits& limits, RewriteGate& gate, FusionBuilder& builder,
               Positions& positions);

}  // namespace hloir::fusion
