// The way a node of the graph runs: a fused loop, a step, or the reference. ChooseLayouts finds it once per node and
// keeps it in Node::support, where later stages read it. A step may also depend on the layout of operands; then its
// maker may decline, with a reason (schedule/step_makers.cc).
#pragma once

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

Support SupportFor(const Graph& graph, const Node& node, const KernelTable& kernels);

}  // namespace hloir::cpu
