// The last stage of lowering: determines the way each node runs (capability/support.h) and the layouts of its operands
// and result. Later stages do not change the graph.
#pragma once

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// For the graph and those inside it:
//  - Node::support.
//  - The order in which arrays lie, if that is to be chosen: array_orders.h.
//  - A fused loop would read an operand along columns, which is slow: a copy, which is made in blocks, comes before it.
void ChooseLayouts(Graph& graph, const KernelTable& kernels, bool choose_orders);

}  // namespace hloir::cpu
