// What can run a node of the graph: asked once per node, by ChooseLayouts, and kept in Node::support. Later stages read
// it there. Whether a step of its own takes a node may also depend on how its operands lie; then the step's maker
// declines, with its reason (schedule/step_makers.cc).
#pragma once

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

Support SupportFor(const Graph& graph, const Node& node, const KernelTable& kernels);

}  // namespace hloir::cpu
