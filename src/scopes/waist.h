// Where a flow is narrow: how many values pass between what comes before a place and what comes after.
// Tested by tests/unit/scopes_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "scopes/flow.h"

namespace hloir {

// [k]: nodes of members[0, k) that members[k, …) use.
std::vector<int32_t> ValuesPassing(const Flow& flow, const std::vector<int32_t>& members);

// Cuts a sequence of passing.size() things into at most `parts` of about one length, where the fewest values pass:
// the begins of the parts. passing[k] is between k - 1 and k.
std::vector<size_t> CutAtWaists(const std::vector<int32_t>& passing, size_t parts);

}  // namespace hloir
