// See layouts.h. Tests: tests/unit/executable_test.cc, tests/unit/executable_movement_test.cc.
#include "plan/lower/layouts.h"

#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "plan/lower/capabilities.h"
#include "plan/steps/dot.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kNearStride = 4;           // elements so far apart share cache lines
constexpr int64_t kBlockedTranspose = 4096;  // from so many elements on, a copy pays

// By dot: as what its result is read.
std::unordered_map<ValueId, std::vector<ValueId>> ReadersOfDots(const Graph& graph) {
  std::unordered_map<ValueId, std::vector<ValueId>> readers;
  auto read = [&](ValueId id) {
    const ValueId root = graph.values[id].root;
    const int32_t node = root == kNoValue ? -1 : graph.values[root].node;
    if (node >= 0 && graph.nodes[node].opcode() == HloOpcode::kDot) readers[root].push_back(id);
  };
  for (const Node& node : graph.nodes)
    for (ValueId id : node.inputs) read(id);
  for (ValueId id : graph.results) read(id);
  return readers;
}

// Whether every reader sees the transpose of what the dot gives, as a matrix or a batch of them.
bool IsReadTransposed(const Graph& graph, const Node& dot, const std::vector<ValueId>& readers) {
  const GraphValue& value = graph.values[dot.outputs[0]];
  const DotAttributes& attributes = dot.instruction->attributes<DotAttributes>();
  const int64_t batch = static_cast<int64_t>(attributes.lhs_batch_dims.size());
  const int64_t rows = dot.instruction->operand(0)->shape().rank() -
                       static_cast<int64_t>(attributes.lhs_contracting_dims.size()) - batch;
  DimVector order;
  for (int64_t d = 0; d < batch; ++d) order.push_back(d);
  for (int64_t d = batch + rows; d < static_cast<int64_t>(value.dims.size()); ++d) order.push_back(d);
  for (int64_t d = batch; d < batch + rows; ++d) order.push_back(d);
  const View transposed = View::RowMajor(value.dims).Transpose(order);
  if (transposed.IsContiguous()) return false;
  for (ValueId id : readers) {
    const View& view = graph.values[id].view;
    if (view.offset != 0 || graph.values[id].count != value.count) return false;
    const auto reshaped = transposed.Reshape(view.dims);
    if (!reshaped || !(reshaped->strides == view.strides)) return false;
  }
  return true;
}

// Whether the product kernels take the dot: only they can change its operands' places.
bool IsGemm(const Graph& graph, const Node& dot) {
  auto view = [&](ValueId id) {
    const GraphValue& value = graph.values[id];
    return value.root == kNoValue ? View::RowMajor(value.dims) : value.view;
  };
  GemmProblem problem;
  return dot.support.kind == Support::kStep &&
         MakeDotProblem(*dot.instruction, view(dot.inputs[0]), view(dot.inputs[1]), &problem);
}

void TransposeDots(Graph& graph) {
  const auto readers = ReadersOfDots(graph);
  for (Node& node : graph.nodes) {
    if (node.is_copy || node.opcode() != HloOpcode::kDot) continue;
    const auto it = readers.find(node.outputs[0]);
    if (it == readers.end() || !IsReadTransposed(graph, node, it->second) || !IsGemm(graph, node)) continue;
    node.stored_transposed = true;
    for (ValueId id : it->second) graph.values[id].view = View::RowMajor(graph.values[id].dims);
  }
}

// Whether operand i of a node that a fused loop runs should be copied first.
bool NeedsCopy(const Graph& graph, const Node& node, size_t i) {
  const bool reduces = node.support.kind == Support::kLoopReduction;
  if (!reduces && node.support.kind != Support::kLoop) return false;
  const GraphValue& value = graph.values[node.inputs[i]];
  if (value.kind == ValueKind::kIota) return reduces && i > 0;  // an initial value is read from memory
  const int64_t count = graph.values[reduces ? node.inputs[0] : node.outputs[0]].count;
  const View view = value.view.Collapse();
  const int64_t inner = view.dims.empty() ? 0 : view.strides.back();
  return count >= kBlockedTranspose && inner != 0 && std::abs(inner) > kNearStride && view.dims.size() > 1;
}

void CopyColumns(Graph& graph) {
  std::unordered_map<ValueId, ValueId> copies;
  std::deque<Node> nodes = std::exchange(graph.nodes, {});
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

void ChooseLayouts(Graph& graph, const KernelTable& kernels) {
  for (Node& node : graph.nodes) {
    for (auto& inner : node.graphs) ChooseLayouts(*inner, kernels);
    if (node.support.reason.empty()) node.support = SupportFor(graph, node, kernels);
  }
  TransposeDots(graph);
  CopyColumns(graph);
}

}  // namespace hloir::cpu
