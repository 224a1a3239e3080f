// Loops over the same elements that read the same values, or one the other's results, become one with several results.
#pragma once

#include "fusion/build.h"
#include "hloir/pass.h"

namespace hloir::fusion {

// Until no two loops of the computation would gain by it. True: something was joined.
bool JoinLoops(HloComputation& computation, const FusionOptions& options, RewriteGate& gate, FusionBuilder& builder);

}  // namespace hloir::fusion
