// Finds arrays that fused loops read in several rolled forms (the neighbours of a finite difference). One copy of the
// array with a halo, the elements across each edge, replaces the rolls. Every roll is a view of the copy. The entry
// point is MakeHalos.
#pragma once

#include "plan/graph/graph.h"

namespace hloir::cpu {

// Needs Node::support and the orders of arrays.
void MakeHalos(Graph& graph);

}  // namespace hloir::cpu
