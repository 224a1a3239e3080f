// Finds products whose result only becomes an operand of another product, batch by batch, through elementwise ops and
// reductions of rows: attention's scores, their softmax, and the product with the values. They become one node, which
// runs block by block, so that the scores are never in memory as a whole. Entry point: MakeRowBlocks.
#pragma once

#include "plan/graph/graph.h"

namespace hloir::cpu {

// Needs Node::support and the orders of arrays.
void MakeRowBlocks(Graph& graph);

}  // namespace hloir::cpu
