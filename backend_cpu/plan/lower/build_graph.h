// The first stage: flattens a computation into a Graph, expands instructions without kernels, and finds the way each
// node runs. The entry point is BuildGraph.
#pragma once

#include <memory>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"
#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

struct LoweredGraph {
  std::unique_ptr<const Graph> graph;
  std::vector<std::unique_ptr<HloModule>> expanded;  // the expansions of instructions, which steps reference
};

// Instructions that cannot be expanded, such as a call that mixes precisions, become nodes that the reference evaluates
// as a whole, and so does each op on arrays of dynamic sizes. Unimplemented, with nothing changed, for instructions
// that cannot be single nodes: transfers in flight, values that are not arrays. ResourceExhausted for values over
// `options.max_bytes` and for too many inlined instructions. `several_devices`: collectives exchange data, regardless
// of the module's header; otherwise those of one device forward their operands.
StatusOr<LoweredGraph> BuildGraph(const HloComputation& computation, const EvaluatorOptions& options,
                                  const KernelTable& kernels, bool several_devices, bool choose_layouts = true);

}  // namespace hloir::cpu
