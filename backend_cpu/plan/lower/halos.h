// Finds an array that fused loops read rolled, in several ways: the neighbours of a finite difference. In place of the
// rolls one copy of the array is made, with a halo: the elements that follow across each edge. Every roll is a view of
// the copy. The entry point is MakeHalos.
#pragma once

#include "plan/graph/graph.h"

namespace hloir::cpu {

// Needs Node::support and the orders of arrays.
void MakeHalos(Graph& graph);

}  // namespace hloir::cpu
