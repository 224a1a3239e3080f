// See layouts.h. Tests: tests/unit/executable_test.cc, tests/unit/executable_movement_test.cc.
#include "plan/lower/layouts.h"

#include <unordered_map>
#include <utility>

#include "plan/lower/array_orders.h"
#include "plan/capability/kernel_choice.h"
#include "plan/capability/support.h"

namespace hloir::cpu {
namespace {

// True if operand i of a node that a fused loop runs should be copied first.
bool NeedsCopy(const Graph& graph, const Node& node, size_t i) {
  const bool reduces = node.support.kind == Support::kLoopReduction;
  if (!reduces && node.support.kind != Support::kLoop) return false;
  const GraphValue& value = graph.values[node.inputs[i]];
  if (value.kind == ValueKind::kIota) return reduces && i > 0;  // an initial value is read from memory
  const int64_t count = graph.values[reduces ? node.inputs[0] : node.outputs[0]].count;
  return IsReadAlongColumns(value.view, count) && (reduces || !LoadsTransposed(value.view.Collapse()));
}

void CopyColumns(Graph& graph) {
  const auto needs_copies = [&](const Node& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (NeedsCopy(graph, node, i)) return true;
    return false;
  };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), needs_copies)) return;
  std::unordered_map<ValueId, ValueId> copies;
  StableList<Node> nodes = std::exchange(graph.nodes, {});
  for (Node& node : nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!NeedsCopy(graph, node, i)) continue;
      auto [copy, fresh] = copies.try_emplace(node.inputs[i], kNoValue);
      if (fresh) {
        const GraphValue value = graph.values[node.inputs[i]];
        copy->second =
            graph.AddComputed(value.type, value.dims, static_cast<int32_t>(graph.nodes.size()), value.instruction);
        Node& made = graph.nodes.emplace_back();
        made.instruction = value.instruction;
        made.is_copy = true;
        made.inputs.push_back(node.inputs[i]);
        made.outputs.push_back(copy->second);
      }
      node.inputs[i] = copy->second;
    }
    for (ValueId id : node.outputs) graph.values[id].node = static_cast<int32_t>(graph.nodes.size());
    graph.nodes.push_back(std::move(node));
  }
}

}  // namespace

void ChooseLayouts(Graph& graph, const KernelTable& kernels, bool choose_orders) {
  for (Node& node : graph.nodes) {
    for (auto& inner : node.graphs) ChooseLayouts(*inner, kernels, choose_orders);
    if (node.support.reason.empty()) node.support = SupportFor(graph, node, kernels);
  }
  if (choose_orders) ChooseOrders(graph, kernels);
  CopyColumns(graph);
}

}  // namespace hloir::cpu
