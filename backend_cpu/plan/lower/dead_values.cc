// See dead_values.h. Tests: tests/unit/executable_test.cc.
#include "plan/lower/dead_values.h"

#include "support/ranges.h"

namespace hloir::cpu {
namespace {

// The values that given values depend on: found from users back to operands, each value once.
class Needs {
 public:
  explicit Needs(const Graph& graph) : graph_(graph), values_(graph.values.size()), nodes_(graph.nodes.size()) {}

  void Add(ValueId id) {
    const ValueId root = graph_.values[id].root;
    if (root == kNoValue || values_[root]) return;
    values_[root] = true;
    work_.push_back(root);
  }
  void AddNode(int32_t index) {
    if (nodes_[index]) return;
    nodes_[index] = true;
    for (ValueId id : graph_.nodes[index].inputs) Add(id);
  }
  // Visits the operands of added values; calls `reached` with the number of each parameter that it reaches, which may
  // add more.
  template <class F>
  void Follow(F&& reached) {
    while (!work_.empty()) {
      const GraphValue& value = graph_.values[work_.back()];
      work_.pop_back();
      if (value.node >= 0) AddNode(value.node);
      if (value.parameter >= 0) reached(static_cast<size_t>(value.parameter));
    }
  }

 private:
  const Graph& graph_;
  std::vector<bool> values_, nodes_;
  std::vector<ValueId> work_;
};

bool HasSideEffect(const Node& node) { return node.instruction->HasSideEffect(); }

void KeepWhere(ValueList& list, const std::vector<bool>& keep) {
  ValueList kept;
  for (size_t i = 0; i < list.size(); ++i)
    if (keep[i]) kept.push_back(list[i]);
  list = std::move(kept);
}

void NumberParameters(Graph& graph) {
  for (size_t i = 0; i < graph.parameters.size(); ++i)
    graph.values[graph.parameters[i]].parameter = static_cast<int32_t>(i);
}

// An element of the state is live if its result has readers, if the condition reads it, or if another live element
// depends on it.
void RemoveDeadState(Node& loop, const std::vector<bool>& read_outside) {
  Graph &condition = *loop.graphs[0], &body = *loop.graphs[1];
  std::vector<bool> live(loop.outputs.size());
  Needs in_condition(condition), in_body(body);
  auto keep = [&](size_t i) {
    if (live[i]) return;
    live[i] = true;
    in_body.Add(body.results[i]);
  };
  for (size_t i = 0; i < live.size(); ++i) {
    if (read_outside[loop.outputs[i]] || body.values[body.parameters[i]].kind == ValueKind::kToken) keep(i);
  }
  for (size_t i = 0; i < body.nodes.size(); ++i)
    if (HasSideEffect(body.nodes[i])) in_body.AddNode(static_cast<int32_t>(i));
  for (size_t i = 0; i < condition.nodes.size(); ++i)
    if (HasSideEffect(condition.nodes[i])) in_condition.AddNode(static_cast<int32_t>(i));
  in_condition.Add(condition.results[0]);
  in_condition.Follow(keep);
  in_body.Follow(keep);
  for (ValueList* list : {&loop.inputs, &loop.outputs, &condition.parameters, &body.parameters, &body.results})
    KeepWhere(*list, live);
  NumberParameters(condition);
  NumberParameters(body);
}

}  // namespace

void RemoveDead(Graph& graph) {
  std::vector<bool> read(graph.values.size()), removed(graph.nodes.size());
  auto mark = [&](ValueId id) {
    read[id] = true;
    if (graph.values[id].root != kNoValue) read[graph.values[id].root] = true;
  };
  for (ValueId id : graph.results) mark(id);
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = graph.nodes[i];
    const bool keep = HasSideEffect(node) || AnyOf(node.outputs, [&](ValueId id) { return read[id]; });
    removed[i] = !keep;
    if (!keep) continue;
    if (node.opcode() == HloOpcode::kWhile && !node.graphs.empty()) RemoveDeadState(node, read);
    for (auto& inner : node.graphs) RemoveDead(*inner);
    for (ValueId id : node.inputs) mark(id);
  }
  graph.RemoveNodes(removed);
}

}  // namespace hloir::cpu
