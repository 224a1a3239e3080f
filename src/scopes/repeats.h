// Layers of a model, found by structure: consecutive intervals of the flow with the same opcodes and shapes, up to a
// few inserted or missing instructions. Entry: FindRepeat. Tested by tests/unit/scopes_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "scopes/flow.h"

namespace hloir {

// Layer k is members[begins[k], begins[k + 1]); the last begin is the end of the last layer.
struct Repeat {
  std::vector<size_t> begins;
  size_t layers() const { return begins.empty() ? 0 : begins.size() - 1; }
  size_t covered() const { return begins.empty() ? 0 : begins.back() - begins.front(); }
};
// The repeat that covers most of `members` (ascending), cut where the fewest values cross; without layers if no
// repetition is significant.
Repeat FindRepeat(const Flow& flow, const std::vector<int32_t>& members);

}  // namespace hloir
