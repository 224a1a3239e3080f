// See hloir/detail/async_chain.h.
#include "hloir/detail/async_chain.h"

#include <algorithm>

#include "hloir/computation.h"

namespace hloir {
namespace {

bool TakesLink(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kAsyncUpdate || i.opcode() == HloOpcode::kAsyncDone;
}

}  // namespace

const HloInstruction* AsyncStartOf(const HloInstruction& link) {
  const HloInstruction* at = &link;
  do {
    if (at->operand_count() == 0) return nullptr;
    at = at->operand(0);
  } while (at->opcode() == HloOpcode::kAsyncUpdate);
  return at->opcode() == HloOpcode::kAsyncStart ? at : nullptr;
}

const HloInstruction* AsyncDoneOf(const HloInstruction& start) {
  const HloInstruction* at = &start;
  while (at->user_count() == 1 && !at->IsRoot()) {
    const HloInstruction* user = at->users()[0];
    if (!TakesLink(*user) || user->operand(0) != at) return nullptr;
    if (user->opcode() == HloOpcode::kAsyncDone) return user;
    at = user;
  }
  return nullptr;
}

bool IsLateBound(const HloInstruction& start) {
  const HloComputation& called = *start.called_computations()[0];
  return start.operand_count() < called.parameter_count() ||
         !start.shape().tuple_shapes(1).Compatible(called.root()->shape());
}

std::vector<const HloInstruction*> AsyncOperands(const HloInstruction& done) {
  std::vector<const HloInstruction*> links;
  for (const HloInstruction* at = done.operand(0);; at = at->operand(0)) {
    links.push_back(at);
    if (at->opcode() != HloOpcode::kAsyncUpdate) break;
  }
  std::vector<const HloInstruction*> operands;
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    const auto given = (*link)->operands();
    operands.insert(operands.end(), given.begin() + ((*link)->opcode() == HloOpcode::kAsyncUpdate ? 1 : 0), given.end());
  }
  return operands;
}

}  // namespace hloir
