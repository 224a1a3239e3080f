// How often a counting loop goes round. Private to the analyses of loops.
// Tested by tests/unit/trip_count_test.cc.
#pragma once

#include <optional>

#include "hloir/attributes.h"

namespace hloir {

// How often `i = start; while (i direction limit) i += step` goes round in integers without bounds. nullopt: for ever,
// or more often than 2^31 - 1 times.
std::optional<int64_t> CountRounds(ComparisonDirection direction, __int128 start, __int128 step, __int128 limit);

}  // namespace hloir
