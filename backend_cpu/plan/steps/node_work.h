// The work of a node in a loop, for the limit on steps: see reference/loop_work.h. Tests: tests/unit/limits_test.cc.
#pragma once

#include <cstdint>

#include "plan/graph/graph.h"
#include "reference/loop_work.h"

namespace hloir::cpu {

// Of the node without nested loops and branches, which count themselves.
inline int64_t ExtraStepsOf(const Node& node) {
  if (node.instruction->Is(kControlFlow)) return 0;
  int64_t steps = reference::ExtraSteps(*node.instruction);
  if (node.blocks == nullptr) return steps;
  steps += reference::ExtraSteps(*node.blocks->first);
  for (const auto& graph : node.graphs)
    for (const Node& inner : graph->nodes) steps += ExtraStepsOf(inner);
  return steps;
}

}  // namespace hloir::cpu
