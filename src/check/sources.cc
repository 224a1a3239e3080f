// See sources.h. Control flow is taken as a whole: each of its results may depend on all that it computes. Of fusions
// and calls it is known which result comes of what. Covered by tests/unit/check_test.cc and meaning_test.cc.
#include "check/sources.h"

#include <algorithm>
#include <vector>

namespace hloir::check {
namespace {

// A call that runs once, on its operands as they are.
bool IsPlainCall(const HloInstruction& i) { return i.opcode() == HloOpcode::kFusion || i.opcode() == HloOpcode::kCall; }

// What an element of the tuple `i` is made by; nullptr if that is not to be seen.
const HloInstruction* ElementOf(const HloInstruction* i, int64_t index) {
  while (IsPlainCall(*i)) i = i->called_computations()[0]->root();
  return i->opcode() == HloOpcode::kTuple ? i->operand(index) : nullptr;
}

}  // namespace

std::unordered_set<const HloInstruction*> SourcesOf(const HloModule& module, const Comparison& seen) {
  const HloInstruction* root = module.entry_computation()->root();
  const std::vector<Shape>* elements = root->shape().IsTuple() ? &root->shape().tuple_shapes() : nullptr;
  const bool by_element = elements != nullptr && !elements->empty() && ElementOf(root, 0) != nullptr &&
                          std::none_of(elements->begin(), elements->end(), [](const Shape& s) { return s.IsTuple(); });
  std::vector<const HloInstruction*> todo;
  for (size_t k = 0; by_element && k < seen.leaves.size(); ++k) {
    // Of several devices the leaves come one device after the other.
    if (!seen.leaves[k].agrees) todo.push_back(ElementOf(root, static_cast<int64_t>(k % elements->size())));
  }
  if (todo.empty()) todo.push_back(root);
  std::unordered_set<const HloInstruction*> sources;
  while (!todo.empty()) {
    const HloInstruction* i = todo.back();
    todo.pop_back();
    if (!sources.insert(i).second) continue;
    if (i->opcode() == HloOpcode::kGetTupleElement) {
      const HloInstruction* element = ElementOf(i->operand(0), i->tuple_index());
      todo.push_back(element != nullptr ? element : i->operand(0));
      continue;
    }
    // Of a plain call the operands come by its parameters.
    if (!IsPlainCall(*i)) todo.insert(todo.end(), i->operands().begin(), i->operands().end());
    for (const HloComputation* called : i->called_computations()) todo.push_back(called->root());
    if (!i->IsParameter()) continue;
    for (const HloInstruction* caller : i->parent()->callers())
      todo.push_back(IsPlainCall(*caller) ? caller->operand(i->parameter_number()) : caller);
  }
  return sources;
}

}  // namespace hloir::check
