// See loop_state.h. Covered by tests/ops/while-dead-state.hlo.
#include "reference/loop_state.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "hloir/computation.h"

namespace hloir::reference {
namespace {

// Adds the elements of the parameter on which the instructions depend to `found`; -1 means all. Called computations are
// assumed to use all of their operands.
void FindUses(std::vector<const HloInstruction*> work, std::unordered_set<const HloInstruction*>& seen,
              std::vector<int64_t>& found) {
  while (!work.empty()) {
    const HloInstruction* at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) continue;
    if (at->IsParameter()) {
      found.push_back(-1);
    } else if (at->opcode() == HloOpcode::kGetTupleElement && at->operand(0)->IsParameter()) {
      found.push_back(at->tuple_index());
    } else {
      work.insert(work.end(), at->operands().begin(), at->operands().end());
    }
  }
}

std::vector<const HloInstruction*> SideEffects(const HloComputation& computation) {
  std::vector<const HloInstruction*> effects;
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    if (i->HasSideEffect()) effects.push_back(i);
  }
  return effects;
}

}  // namespace

bool BodyChangesNothing(const HloInstruction& loop) {
  const HloComputation &condition = *loop.while_condition(), &body = *loop.while_body();
  const HloInstruction* root = body.root();
  if (root->IsParameter()) return true;
  if (root->opcode() != HloOpcode::kTuple || !SideEffects(body).empty() || !SideEffects(condition).empty())
    return false;
  const size_t count = static_cast<size_t>(root->operand_count());
  std::vector<int64_t> pending;
  std::unordered_set<const HloInstruction*> seen;
  FindUses({condition.root()}, seen, pending);
  if (&loop == loop.parent()->root()) pending.push_back(-1);
  for (const HloInstruction* user : loop.users()) {
    pending.push_back(user->opcode() == HloOpcode::kGetTupleElement ? user->tuple_index() : -1);
  }
  std::vector<bool> counts(count);
  while (!pending.empty()) {
    const int64_t element = pending.back();
    pending.pop_back();
    std::vector<const HloInstruction*> made_from;
    for (size_t i = 0; i < count; ++i) {
      if (counts[i] || (element >= 0 && static_cast<size_t>(element) != i)) continue;
      counts[i] = true;
      made_from.push_back(root->operand(static_cast<int64_t>(i)));
    }
    FindUses(std::move(made_from), seen, pending);
  }
  for (size_t i = 0; i < count; ++i) {
    const HloInstruction* next = root->operand(static_cast<int64_t>(i));
    const bool same = next->opcode() == HloOpcode::kGetTupleElement && next->operand(0)->IsParameter() &&
                      static_cast<size_t>(next->tuple_index()) == i;
    if (counts[i] && !same) return false;
  }
  return true;
}

}  // namespace hloir::reference
