// See graph.h.
#include "plan/graph/graph.h"

namespace hloir::cpu {

ValueId Graph::AddComputed(PrimitiveType type, const DimVector& dims, int32_t node, const HloInstruction* instruction) {
  ValueId id = static_cast<ValueId>(values.size());
  GraphValue& value = values.emplace_back();
  value.type = type;
  value.dims = dims;
  value.view = View::RowMajor(dims);
  value.count = value.view.count();
  value.root = id;
  value.node = node;
  value.instruction = instruction;
  return id;
}

const Literal* Graph::NumberOf(ValueId id) const {
  const GraphValue& value = values[id];
  if (value.root == kNoValue) return nullptr;
  const GraphValue& root = values[value.root];
  if (root.kind != ValueKind::kConstant || root.count != 1 || root.type != value.type) return nullptr;
  const Literal& literal = root.instruction->literal();
  return literal.elided() ? nullptr : &literal;
}

ValueId Graph::AddView(ValueId of, PrimitiveType type, View view, const HloInstruction* instruction) {
  GraphValue value;
  value.kind = values[of].kind == ValueKind::kIota ? ValueKind::kIota : ValueKind::kView;
  value.type = type;
  value.dims = view.dims;
  value.count = view.count();
  value.root = values[of].root;
  value.view = std::move(view);
  value.instruction = instruction;
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

void Graph::RemoveNodes(const std::vector<bool>& removed) {
  size_t kept = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (ValueId id : nodes[i].outputs) values[id].node = removed[i] ? -1 : static_cast<int32_t>(kept);
    if (removed[i]) continue;
    if (kept != i) nodes[kept] = std::move(nodes[i]);
    ++kept;
  }
  nodes.shrink(kept);
}

}  // namespace hloir::cpu
