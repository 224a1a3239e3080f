// See loop_patterns.h. Tests: tests/unit/executable_movement_test.cc.
#include "plan/loops/loop_patterns.h"

#include <algorithm>

namespace hloir::cpu {
namespace {

class LoopPatternFinder {
 public:
  LoopPatternFinder(const Graph& graph, std::span<const int32_t> nodes) : graph_(graph) {
    for (int32_t node : nodes) inside_[node] = true;
  }
  // The array that this is the conjugate of, or kNoValue.
  ValueId ConjugateOf(const Node& join) const {
    if (join.opcode() != HloOpcode::kComplex) return kNoValue;
    const Node *real = NodeOf(join, 0), *negate = NodeOf(join, 1);
    if (real == nullptr || negate == nullptr || real->opcode() != HloOpcode::kReal ||
        negate->opcode() != HloOpcode::kNegate)
      return kNoValue;
    const Node* imag = NodeOf(*negate, 0);
    if (imag == nullptr || imag->opcode() != HloOpcode::kImag || !Same(real->inputs[0], imag->inputs[0]))
      return kNoValue;
    const PrimitiveType type = graph_.values[real->inputs[0]].type;
    return type == PrimitiveType::C64 || type == PrimitiveType::C128 ? real->inputs[0] : kNoValue;
  }
  bool Match(const Node& select, WrappedIndex* wrap) const {
    const Node *compare = NodeOf(select, 0), *sum = NodeOf(select, 1);
    if (select.opcode() != HloOpcode::kSelect || compare == nullptr || sum == nullptr ||
        compare->opcode() != HloOpcode::kCompare || sum->opcode() != HloOpcode::kAdd ||
        compare->instruction->attributes<CompareAttributes>().direction != ComparisonDirection::kLt) {
      return false;
    }
    wrap->x = select.inputs[2];
    const PrimitiveType type = graph_.values[wrap->x].type;
    if (!IsInteger(type) || !IsSigned(type) || BitWidth(type) < 8 || !Same(compare->inputs[0], wrap->x) ||
        !IsNumber(compare->inputs[1], 0))
      return false;
    const int operand = Same(sum->inputs[0], wrap->x) ? 0 : 1;
    wrap->by = sum->inputs[1 - operand];
    return Same(sum->inputs[operand], wrap->x);
  }
  bool IsGuarded(const Node& remainder, const Node& divide, GuardedRemainder* found) const {
    if (divide.opcode() != HloOpcode::kDivide || divide.is_copy || !Same(remainder.inputs[0], divide.inputs[0]))
      return false;
    const Node* by = NodeOf(remainder, 1);
    const Node* compare = by != nullptr && by->opcode() == HloOpcode::kSelect ? NodeOf(*by, 0) : nullptr;
    if (compare == nullptr || compare->opcode() != HloOpcode::kCompare ||
        compare->instruction->attributes<CompareAttributes>().direction != ComparisonDirection::kEq)
      return false;
    found->guard = by->inputs[0];
    const ValueId b = divide.inputs[1];
    return Same(by->inputs[2], b) && IsNumber(by->inputs[1], 1) && Same(compare->inputs[0], b) &&
           IsNumber(compare->inputs[1], 0);
  }

 private:
  // The node of the loop that computes the operand, as it is.
  const Node* NodeOf(const Node& user, size_t operand) const {
    if (operand >= user.inputs.size()) return nullptr;
    const ValueId id = user.inputs[operand], root = graph_.values[id].root;
    if (root == kNoValue || graph_.values[root].node < 0 || !graph_.IsWhole(id) ||
        graph_.values[id].type != graph_.values[root].type)
      return nullptr;
    return inside_.contains(graph_.values[root].node) ? &graph_.nodes[graph_.values[root].node] : nullptr;
  }
  bool Same(ValueId a, ValueId b) const {
    if (a == b) return true;
    return graph_.values[a].root != kNoValue && graph_.values[a].root == graph_.values[b].root && graph_.IsWhole(a) &&
           graph_.IsWhole(b) && graph_.values[a].type == graph_.values[b].type;
  }
  bool IsNumber(ValueId id, int64_t number) const {
    const Literal* literal = graph_.NumberOf(id);
    return literal != nullptr && literal->GetAsInt64(0) == number;
  }

  const Graph& graph_;
  std::unordered_map<int32_t, bool> inside_;
};

}  // namespace

LoopPatterns FindPatterns(const Graph& graph, std::span<const int32_t> nodes, std::span<const ValueId> stored) {
  LoopPatterns found;
  found.rest = nodes;
  const auto begins = [&](int32_t n) {
    return IsOneOf(graph.nodes[n].opcode(), HloOpcode::kSelect, HloOpcode::kComplex);
  };
  if (std::none_of(nodes.begin(), nodes.end(), begins)) return found;
  const LoopPatternFinder finder(graph, nodes);
  for (int32_t node : nodes) {
    WrappedIndex wrap;
    if (finder.Match(graph.nodes[node], &wrap)) found.wraps.emplace(node, wrap);
    if (ValueId of = finder.ConjugateOf(graph.nodes[node]); of != kNoValue) found.conjugates.emplace(node, of);
    if (graph.nodes[node].opcode() != HloOpcode::kRemainder || graph.nodes[node].is_copy) continue;
    GuardedRemainder guarded{.remainder = node, .divide = -1, .guard = kNoValue};
    for (const int32_t other : nodes) {
      guarded.divide = other;
      if (finder.IsGuarded(graph.nodes[node], graph.nodes[other], &guarded)) found.guarded.push_back(guarded);
    }
  }
  if (found.wraps.empty() && found.conjugates.empty()) return found;
  // Users before operands: a node is needed if an emitted node or something outside of the loop reads it.
  std::unordered_map<ValueId, bool> needed;
  for (ValueId id : stored) needed[id] = true;
  found.rest.clear();
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[nodes[i]];
    if (std::none_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return needed.contains(id); }))
      continue;
    found.rest.push_back(nodes[i]);
    auto need = [&](ValueId id) {
      if (graph.values[id].root != kNoValue) needed[graph.values[id].root] = true;
    };
    if (auto it = found.wraps.find(nodes[i]); it != found.wraps.end()) need(it->second.x), need(it->second.by);
    else if (auto conjugate = found.conjugates.find(nodes[i]); conjugate != found.conjugates.end())
      need(conjugate->second);
    else
      for (ValueId id : node.inputs) need(id);
  }
  std::reverse(found.rest.begin(), found.rest.end());
  return found;
}

}  // namespace hloir::cpu
