// The work of a node, for the limit on steps: see hloir/detail/steps.h. Tests: tests/unit/limits_test.cc.
#pragma once

#include <cstdint>

#include "hloir/detail/steps.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// Beside the steps of the plan that the node becomes, each of which counts one. Loops and branches count themselves.
inline int64_t ExtraStepsOf(const Node& node) {
  if (node.instruction->Is(kControlFlow)) return 0;
  int64_t steps = StepsOf(*node.instruction) - 1;
  if (node.blocks == nullptr) return steps;
  steps += StepsOf(*node.blocks->first) - 1;
  for (const auto& graph : node.graphs)
    for (const Node& inner : graph->nodes) steps += ExtraStepsOf(inner);
  return steps;
}

}  // namespace hloir::cpu
