// The trip count of a counting loop. Private to the analyses of loops. Tested by tests/unit/trip_count_test.cc.
#pragma once

#include <optional>

#include "hloir/attributes.h"
#include "hloir/computation.h"

namespace hloir {

// The trip count of `i = start; while (i direction limit) i += step` in unbounded integers. nullopt: infinite, or above
// 2^31 - 1.
std::optional<int64_t> CountRounds(ComparisonDirection direction, __int128 start, __int128 step, __int128 limit);

// Returns whether a computation, or one that it calls, has a while loop.
bool MayLoop(const HloComputation& computation);

}  // namespace hloir
