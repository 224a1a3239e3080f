// In which order the dimensions of a plan's arrays lie in memory: part of layouts.h. One way in: ChooseOrders.
//
// Results of elementwise ops, products, convolutions and reduce-windows may lie in any order. Those that hand their
// elements on place by place, also through transposes, form a group with one order; it takes the one that moves the
// fewest bytes: copies that its readers would need, passes over memory that would be lost to a fused loop, and what
// kernels do to arrays that do not lie as they read or write. Parameters, constants and all other results lie as they
// are numbered. Sums are made in the same order wherever their operands lie.
#pragma once

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// A fused loop that reads so along columns does better with a copy, which is made in blocks.
bool IsReadAlongColumns(const View& view, int64_t count);

// Needs Node::support. Adds to graph.order_reasons.
void ChooseOrders(Graph& graph, const KernelTable& kernels);

}  // namespace hloir::cpu
