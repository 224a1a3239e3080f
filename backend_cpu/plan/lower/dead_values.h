// Removes dead values from a graph: nodes, and loop carries on which neither the loop's results nor its condition
// depend. Removing dead carries may make the loop itself dead.
#pragma once

#include "plan/graph/graph.h"

namespace hloir::cpu {

// Processes the graph and nested ones; nodes with side effects are kept.
void RemoveDead(Graph& graph);

}  // namespace hloir::cpu
