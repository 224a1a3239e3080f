// The width of a flow: the number of values that cross each position. Tested by tests/unit/scopes_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "scopes/flow.h"

namespace hloir {

// [k]: nodes of members[0, k) that members[k, …) use.
std::vector<int32_t> ValuesPassing(const Flow& flow, const std::vector<int32_t>& members);

// Cuts a sequence of passing.size() items into at most `parts` parts of similar length where the fewest values cross;
// returns the begins of the parts. passing[k] is between k - 1 and k.
std::vector<size_t> CutAtWaists(const std::vector<int32_t>& passing, size_t parts);

}  // namespace hloir
