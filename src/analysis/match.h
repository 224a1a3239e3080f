// Matches the instructions of two modules: the search behind ModuleDiff of hloir/inspect.h.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flat.h"

namespace hloir {

struct NodeMatch {
  std::vector<int32_t> after_of, before_of;  // by node; -1: none
  // For a node of the first module without a match: an equal node of the second that has another match.
  std::vector<int32_t> merged_into;
  std::vector<const HloComputation*> after_home;  // by id of the first module's computations; null: none
};

NodeMatch MatchNodes(const FlatModule& before, const FlatModule& after);

}  // namespace hloir
