// See sources.h. Control flow is opaque: each of its results may depend on everything that it computes. Fusions and
// calls are followed result by result. Covered by tests/unit/check_test.cc and meaning_test.cc.
#include "check/sources.h"

#include <utility>
#include <vector>

namespace hloir::check {
namespace {

// A call that executes its computation once on its operands.
bool IsCallOrFusion(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kFusion || i.opcode() == HloOpcode::kCall;
}

// The instruction that computes the part of `i` at `index` (outermost last), or the opaque instruction that contains
// it.
const HloInstruction* PartOf(const HloInstruction* i, std::vector<int64_t> index) {
  for (;;) {
    if (i->opcode() == HloOpcode::kGetTupleElement) {
      index.push_back(i->tuple_index());
      i = i->operand(0);
    } else if (index.empty()) {
      return i;
    } else if (IsCallOrFusion(*i)) {
      i = i->called_computations()[0]->root();
    } else if (i->opcode() == HloOpcode::kTuple) {
      i = i->operand(index.back());
      index.pop_back();
    } else {
      return i;
    }
  }
}

// The sources of each leaf of `root`, in order.
std::vector<const HloInstruction*> PartsOf(const HloInstruction* root) {
  std::vector<const HloInstruction*> parts;
  std::vector<std::pair<const Shape*, std::vector<int64_t>>> todo = {{&root->shape(), {}}};
  while (!todo.empty()) {
    const auto [shape, index] = std::move(todo.back());
    todo.pop_back();
    if (!shape->IsTuple()) parts.push_back(PartOf(root, index));
    for (int64_t k = shape->IsTuple() ? shape->tuple_size() : 0; k-- > 0;) {
      todo.emplace_back(&shape->tuple_shapes(k), index);
      todo.back().second.insert(todo.back().second.begin(), k);
    }
  }
  return parts;
}

}  // namespace

std::unordered_set<const HloInstruction*> SourcesOf(const HloModule& module, const Comparison& seen) {
  const HloInstruction* root = module.entry_computation()->root();
  const std::vector<const HloInstruction*> parts = PartsOf(root);
  std::vector<const HloInstruction*> todo;
  for (size_t k = 0; !parts.empty() && k < seen.leaves.size(); ++k) {
    // With several devices, the leaves are listed device by device.
    if (!seen.leaves[k].agrees) todo.push_back(parts[k % parts.size()]);
  }
  if (todo.empty()) todo.push_back(root);
  std::unordered_set<const HloInstruction*> sources;
  while (!todo.empty()) {
    const HloInstruction* i = todo.back();
    todo.pop_back();
    if (!sources.insert(i).second) continue;
    if (i->opcode() == HloOpcode::kGetTupleElement) {
      todo.push_back(PartOf(i, {}));
      continue;
    }
    // The operands of a plain call are reached through its parameters.
    if (!IsCallOrFusion(*i)) todo.insert(todo.end(), i->operands().begin(), i->operands().end());
    for (const HloComputation* called : i->called_computations()) todo.push_back(called->root());
    if (!i->IsParameter()) continue;
    for (const HloInstruction* caller : i->parent()->callers())
      todo.push_back(IsCallOrFusion(*caller) ? caller->operand(i->parameter_number()) : caller);
  }
  return sources;
}

Comparison OnlyLeaf(Comparison seen, size_t leaf) {
  for (size_t k = 0; k < seen.leaves.size(); ++k) seen.leaves[k].agrees = k != leaf;
  return seen;
}

}  // namespace hloir::check
