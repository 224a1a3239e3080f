// Parts of models that are known by their form: softmax, attention, norms, two products with an activation between.
// Entry: FindPatterns. Forms of fused kernels are not here: their custom-calls name them.
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
// Disjoint ones among `members` (ascending); what is a part of a larger one is not apart.
std::vector<Pattern> FindPatterns(const Flow& flow, const std::vector<int32_t>& members);

}  // namespace hloir
