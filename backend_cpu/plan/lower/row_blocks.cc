// See row_blocks.h. Tests: tests/unit/executable_row_blocks_test.cc.
#include "plan/lower/row_blocks.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "plan/capability/gemm_problem.h"
#include "support/ranges.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kWorthwhile = 512 << 10;  // bytes: smaller values stay in a core's cache anyway
constexpr int32_t kMostNodes = 96;          // maximal number of nodes from the first product to the second

// The first of `parts` equal parts of the view's elements, in their order, and the offset of each part from the first.
struct Parts {
  View first;
  std::vector<int64_t> offsets{0};
};
std::optional<Parts> Divide(const View& view, int64_t parts) {
  Parts divided{view};
  for (size_t d = 0; parts > 1; ++d) {
    if (d == view.dims.size()) return std::nullopt;
    const int64_t size = view.dims[d], pieces = std::min(size, parts);
    if (pieces == 0 || parts % pieces != 0 || size % pieces != 0) return std::nullopt;
    divided.first.dims[d] = size / pieces;
    std::vector<int64_t> offsets;
    for (int64_t offset : divided.offsets)
      for (int64_t i = 0; i < pieces; ++i) offsets.push_back(offset + i * (size / pieces) * view.strides[d]);
    divided.offsets = std::move(offsets);
    parts /= pieces;
  }
  return divided;
}

bool AreMultiples(const std::vector<int64_t>& offsets, int64_t step) {
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] - offsets[0] != static_cast<int64_t>(i) * step) return false;
  return true;
}

class RowBlockFinder {
 public:
  explicit RowBlockFinder(Graph& graph) : graph_(graph), uses_(graph.values.size()), removed_(graph.nodes.size()) {
    for (const Node& node : graph.nodes) Use(node.inputs);
    Use(graph.results);
  }
  void Run() {
    bool any = false;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!IsProduct(graph_.nodes[i])) continue;
      any = Make(static_cast<int32_t>(i), 0) || Make(static_cast<int32_t>(i), 1) || any;
    }
    if (any) graph_.RemoveNodes(removed_);
  }

 private:
  // The properties of one pair of products.
  struct Chain {
    int32_t first = -1, second = -1;
    int64_t count = 0;                            // blocks
    std::vector<bool> inside;                     // by node, from `first` on
    std::unordered_map<ValueId, ValueId> copies;  // of values, in the blocks' graph
    std::unique_ptr<Graph> graph;
    std::unique_ptr<RowBlocks> blocks;
    ValueList others;
  };

  void Use(const ValueList& ids) {
    for (ValueId id : ids)
      if (graph_.values[id].root != kNoValue) ++uses_[graph_.values[id].root];
  }
  bool IsProduct(const Node& node) const {
    return node.opcode() == HloOpcode::kDot && node.support.kind == Support::kStep && !node.is_copy &&
           node.inputs.size() == 2 && node.blocks == nullptr;
  }
  static bool IsInLoop(const Node& node) {
    return (node.support.kind == Support::kLoop || node.support.kind == Support::kLoopReduction) &&
           node.outputs.size() == 1;
  }
  // The node that computes the array that the value is a view of, or -1.
  int32_t NodeOf(ValueId id) const {
    const ValueId root = graph_.values[id].root;
    return root == kNoValue ? -1 : graph_.values[root].node;
  }
  bool IsInside(const Chain& chain, int32_t node) const {
    return node >= chain.first && node < chain.second && chain.inside[static_cast<size_t>(node - chain.first)];
  }

  bool Make(int32_t second, size_t side) {
    Chain chain;
    chain.second = second;
    Node& node = graph_.nodes[static_cast<size_t>(second)];
    if (node.blocks != nullptr) return false;
    if (!FindFirst(chain, node.inputs[side]) || !FindInside(chain, node.inputs[side], node.inputs[1 - side]) ||
        !CheckProducts(chain, side) || !Build(chain, node.inputs[side]))
      return false;
    const Node& first = graph_.nodes[static_cast<size_t>(chain.first)];
    chain.blocks->first = first.instruction;
    chain.blocks->between = node.inputs[side];
    chain.blocks->is_left = side == 0;
    ValueList inputs = first.inputs;
    inputs.push_back(node.inputs[1 - side]);
    for (ValueId id : chain.others) inputs.push_back(id);
    node.inputs = std::move(inputs);
    node.graphs.push_back(std::move(chain.graph));
    node.blocks = std::move(chain.blocks);
    for (int32_t i = chain.first; i < second; ++i)
      if (IsInside(chain, i)) removed_[static_cast<size_t>(i)] = true;
    return true;
  }

  // The single product from which fused loops compute the operand.
  bool FindFirst(Chain& chain, ValueId operand) const {
    const int32_t last = NodeOf(operand), begin = std::max(0, chain.second - kMostNodes);
    if (last < begin || !IsInLoop(graph_.nodes[static_cast<size_t>(last)])) return false;
    std::vector<bool> seen(static_cast<size_t>(chain.second - begin));
    seen[static_cast<size_t>(last - begin)] = true;
    for (int32_t i = last; i >= begin; --i) {
      if (!seen[static_cast<size_t>(i - begin)] || removed_[static_cast<size_t>(i)]) continue;
      const Node& node = graph_.nodes[static_cast<size_t>(i)];
      if (IsProduct(node) && graph_.values[node.outputs[0]].count == graph_.values[operand].count) {
        if (chain.first >= 0) return false;
        chain.first = i;
      } else if (IsInLoop(node)) {
        for (ValueId id : node.inputs)
          if (const int32_t from = NodeOf(id); from >= begin) seen[static_cast<size_t>(from - begin)] = true;
      }
    }
    if (chain.first < 0 || !graph_.nodes[static_cast<size_t>(chain.first)].order.empty()) return false;
    return graph_.values[graph_.nodes[static_cast<size_t>(chain.first)].outputs[0]].bytes() >= kWorthwhile;
  }

  // The nodes that depend on the first product, and those that only these read. Other nodes must not read any of them.
  bool FindInside(Chain& chain, ValueId operand, ValueId other) const {
    chain.inside.resize(static_cast<size_t>(chain.second - chain.first));
    chain.inside[0] = true;
    std::unordered_map<ValueId, int32_t> used;  // by nodes inside
    auto count_uses = [&](const Node& node) {
      for (ValueId id : node.inputs) ++used[graph_.values[id].root];
    };
    for (int32_t i = chain.first + 1; i < chain.second; ++i) {
      const Node& node = graph_.nodes[static_cast<size_t>(i)];
      auto depends = [&](ValueId id) { return IsInside(chain, NodeOf(id)); };
      if (!AnyOf(node.inputs, depends)) continue;
      if (!IsInLoop(node)) return false;
      chain.inside[static_cast<size_t>(i - chain.first)] = true;
      count_uses(node);
    }
    if (IsInside(chain, NodeOf(other))) return false;
    ++used[graph_.values[operand].root];
    const int64_t count = graph_.values[operand].count;
    for (int32_t i = chain.second; i-- > chain.first;) {
      const Node& node = graph_.nodes[static_cast<size_t>(i)];
      if (node.outputs.size() != 1 || removed_[static_cast<size_t>(i)]) continue;
      const ValueId result = node.outputs[0];
      const bool all = used[result] == uses_[result];
      if (IsInside(chain, i)) {
        if (!all) return false;
      } else if (all && uses_[result] > 0 && node.support.kind == Support::kLoop &&
                 graph_.values[result].count == count) {
        chain.inside[static_cast<size_t>(i - chain.first)] = true;
        count_uses(node);
      }
    }
    return true;
  }

  // Both have the same batches, and the second reads each batch at the first one's offset.
  bool CheckProducts(Chain& chain, size_t side) const {
    const Node &first = graph_.nodes[static_cast<size_t>(chain.first)],
               &second = graph_.nodes[static_cast<size_t>(chain.second)];
    auto view = [&](const Node& node, size_t i) -> const View& { return graph_.values[node.inputs[i]].view; };
    GemmProblem p, q;
    if (AnyOf(first.inputs, [&](ValueId id) { return NoMemory(id); }) || NoMemory(second.inputs[1 - side]) ||
        !(second.order.empty() || CanStoreInOrder(*second.instruction, second.order)) ||
        !MakeDotProblem(*first.instruction, view(first, 0), view(first, 1), {}, &p) ||
        !MakeDotProblem(*second.instruction, view(second, 0), view(second, 1), second.order, &q))
      return false;
    chain.count = p.batch;
    const GemmOperand& between = (side == 0) != q.exchanged ? q.a : q.b;
    const int64_t root_count = graph_.values[graph_.values[second.inputs[side]].root].count;
    return p.batch > 1 && p.batch == q.batch && root_count % p.batch == 0 &&
           AreMultiples(between.batch_offsets, root_count / p.batch);
  }
  bool NoMemory(ValueId id) const {
    const ValueKind kind = graph_.values[id].kind;
    return kind == ValueKind::kIota || kind == ValueKind::kToken || kind == ValueKind::kDynamic;
  }

  // The graph of one block.
  bool Build(Chain& chain, ValueId operand) {
    chain.graph = std::make_unique<Graph>();
    chain.blocks = std::make_unique<RowBlocks>();
    chain.blocks->count = chain.count;
    Graph& graph = *chain.graph;
    for (int32_t i = chain.first; i < chain.second; ++i) {
      if (!IsInside(chain, i)) continue;
      const Node& node = graph_.nodes[static_cast<size_t>(i)];
      const GraphValue& result = graph_.values[node.outputs[0]];
      if (result.count % chain.count != 0) return false;
      const DimVector dims{result.count / chain.count};
      if (i == chain.first) {
        chain.copies[node.outputs[0]] = AddParameter(chain, result.type, dims, result.instruction);
        continue;
      }
      Node made;
      made.instruction = node.instruction;
      made.support = node.support;
      const bool reduces = node.support.kind == Support::kLoopReduction;
      if (reduces) {
        if (made.support.reduce.outer % chain.count != 0) return false;
        made.support.reduce.outer /= chain.count;
      }
      for (size_t k = 0; k < node.inputs.size(); ++k) {
        const std::optional<ValueId> input =
            reduces && k > 0 ? AddOutside(chain, node.inputs[k]) : AddInput(chain, node.inputs[k], result, reduces);
        if (!input) return false;
        made.inputs.push_back(*input);
      }
      made.outputs.push_back(
          graph.AddComputed(result.type, dims, static_cast<int32_t>(graph.nodes.size()), result.instruction));
      chain.copies[node.outputs[0]] = made.outputs[0];
      graph.nodes.push_back(std::move(made));
    }
    graph.results.push_back(chain.copies.at(graph_.values[operand].root));
    return true;
  }
  static ValueId AddParameter(Chain& chain, PrimitiveType type, const DimVector& dims, const HloInstruction* of) {
    const ValueId id = chain.graph->AddComputed(type, dims, -1, of);
    chain.graph->values[id].kind = ValueKind::kParameter;
    chain.graph->values[id].parameter = static_cast<int32_t>(chain.graph->parameters.size());
    chain.graph->parameters.push_back(id);
    return id;
  }
  // A value common to all blocks: a reduction's initial value.
  std::optional<ValueId> AddOutside(Chain& chain, ValueId id) {
    if (IsInside(chain, NodeOf(id)) || NoMemory(id)) return std::nullopt;
    return AddView(chain, id, {graph_.values[id].view, std::vector<int64_t>(static_cast<size_t>(chain.count))});
  }
  std::optional<ValueId> AddInput(Chain& chain, ValueId id, const GraphValue& result, bool reduces) {
    const GraphValue& value = graph_.values[id];
    if ((!reduces && value.count != result.count) || value.kind == ValueKind::kToken ||
        value.kind == ValueKind::kDynamic)
      return std::nullopt;
    std::optional<Parts> parts = Divide(value.view, chain.count);
    if (!parts) return std::nullopt;
    if (!IsInside(chain, NodeOf(id))) return AddView(chain, id, std::move(*parts));
    const int64_t step = graph_.values[value.root].count / chain.count;
    if (!AreMultiples(parts->offsets, step)) return std::nullopt;
    return chain.graph->AddView(chain.copies.at(value.root), value.type, std::move(parts->first), value.instruction);
  }
  // A value from outside, through a parameter that begins at each block's part.
  std::optional<ValueId> AddView(Chain& chain, ValueId id, Parts parts) {
    const GraphValue& value = graph_.values[id];
    if (auto known = chain.copies.find(id); known != chain.copies.end()) return known->second;
    ValueId root;
    if (value.kind == ValueKind::kIota ||
        (graph_.values[value.root].kind == ValueKind::kConstant && graph_.values[value.root].count == 1)) {
      if (!AreMultiples(parts.offsets, 0)) return std::nullopt;  // numbers do not depend on blocks
      chain.graph->values.push_back(value.kind == ValueKind::kIota ? value : graph_.values[value.root]);
      root = static_cast<ValueId>(chain.graph->values.size() - 1);
      chain.graph->values[root].root = value.kind == ValueKind::kIota ? kNoValue : root;
    } else {
      root = AddParameter(chain, graph_.values[value.root].type, graph_.values[value.root].dims, value.instruction);
      chain.others.push_back(id);
      chain.blocks->offsets.push_back(std::move(parts.offsets));
    }
    const ValueId made = chain.graph->AddView(root, value.type, std::move(parts.first), value.instruction);
    chain.copies[id] = made;
    return made;
  }

  Graph& graph_;
  std::vector<int32_t> uses_;  // by root: operand slots and results that read it
  std::vector<bool> removed_;  // by node
};

}  // namespace

void MakeRowBlocks(Graph& graph) {
  for (Node& node : graph.nodes)
    for (auto& inner : node.graphs) MakeRowBlocks(*inner);
  RowBlockFinder(graph).Run();
}

}  // namespace hloir::cpu
