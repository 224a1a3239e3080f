// Removes dead values from a graph: nodes, and the carries that neither a loop's results nor its condition depend on.
// Without a dead carry the loop itself may be dead.
#pragma once

#include "plan/graph/graph.h"

namespace hloir::cpu {

// The graph and those inside it; nodes with side effects stay.
void RemoveDead(Graph& graph);

}  // namespace hloir::cpu
