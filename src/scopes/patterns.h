// Recognition of parts of models: softmax, attention, norms, two products with an activation between. Entry:
// FindPatterns. Fused kernels are not matched: their custom-calls name them.
// Tested by tests/unit/scopes_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scopes/flow.h"

namespace hloir {

struct Pattern {
  std::string title;           // "attention", "softmax", "RMS norm", "layer norm", "MLP"
  std::vector<int32_t> nodes;  // ascending
};
// Disjoint patterns among `members` (ascending), without those inside larger ones.
std::vector<Pattern> FindPatterns(const Flow& flow, const std::vector<int32_t>& members);

}  // namespace hloir
