// Takes out of a graph what nobody needs: nodes, and the parts of a loop's state that neither its results nor its
// condition depend on. Such a part may be what keeps a loop from being no loop at all.
#pragma once

#include "plan/lower/graph.h"

namespace hloir::cpu {

// The graph and those inside it; what acts on the outside stays.
void RemoveDead(Graph& graph);

}  // namespace hloir::cpu
