// The order in memory of the dimensions of a plan's arrays: part of layouts.h. The entry point is ChooseOrders.
//
// Results of elementwise ops, products, convolutions and reduce-windows may lie in any order. Arrays that are
// elementwise copies of each other, also through transposes, form a group with one order, the one that moves the fewest
// bytes: copies for its readers, passes over memory that a fused loop would otherwise save, and the work of kernels on
// arrays in another order than they read or write. Parameters, constants and all other results are row-major. The order
// of sums does not depend on these orders.
#pragma once

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// True if a fused loop reads along columns, so that a copy in blocks is faster.
bool IsReadAlongColumns(const View& view, int64_t count);

// Needs Node::support. Adds to graph.order_reasons.
void ChooseOrders(Graph& graph, const KernelTable& kernels);

}  // namespace hloir::cpu
