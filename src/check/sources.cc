// See sources.h. Control flow and calls are taken as a whole: each of their results may depend on all that they
// compute. Covered by tests/unit/check_test.cc and meaning_test.cc.
#include "check/sources.h"

#include <algorithm>
#include <vector>

namespace hloir::check {

std::unordered_set<const HloInstruction*> SourcesOf(const HloModule& module, const Comparison& seen) {
  const HloInstruction* root = module.entry_computation()->root();
  const bool by_element =
      root->opcode() == HloOpcode::kTuple && std::none_of(root->operands().begin(), root->operands().end(),
                                                          [](const auto* i) { return i->shape().IsTuple(); });
  std::vector<const HloInstruction*> todo;
  for (size_t k = 0; by_element && k < seen.leaves.size(); ++k) {
    // Of several devices the leaves come one device after the other.
    if (!seen.leaves[k].agrees) todo.push_back(root->operand(static_cast<int64_t>(k) % root->operand_count()));
  }
  if (todo.empty()) todo.push_back(root);
  std::unordered_set<const HloInstruction*> sources;
  while (!todo.empty()) {
    const HloInstruction* i = todo.back();
    todo.pop_back();
    if (!sources.insert(i).second) continue;
    todo.insert(todo.end(), i->operands().begin(), i->operands().end());
    for (const HloComputation* called : i->called_computations()) todo.push_back(called->root());
    if (!i->IsParameter()) continue;
    for (const HloInstruction* caller : i->parent()->callers()) todo.push_back(caller);
  }
  return sources;
}

}  // namespace hloir::check
