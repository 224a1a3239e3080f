// See split_constants.h.
#include "split_constants.h"

#include <unordered_map>

#include "hloir/rewrite_util.h"

namespace hloir::spmd {
namespace {

// The size of a constant expression, in instructions; 0: it is none, or too large to be copied.
using Sizes = std::unordered_map<const HloInstruction*, int64_t>;

int64_t SizeOf(const HloInstruction& i, const Sizes& sizes) {
  constexpr int64_t kMostInstructions = 8, kMostElements = 1024;
  if (!i.shape().IsArray() || HasAnnotations(i) || i.HasControlDependencies()) return 0;
  if (i.IsConstant()) return i.shape().ElementCount() <= kMostElements ? 1 : 0;
  if (i.opcode() == HloOpcode::kIota) return 1;
  const bool plain = i.Is(kElementwise) || IsOneOf(i.opcode(), HloOpcode::kBroadcast, HloOpcode::kReshape,
                                                   HloOpcode::kTranspose, HloOpcode::kCopy);
  if (!plain || i.Is(kImpure | kSideEffect) || i.operand_count() == 0) return 0;
  int64_t size = 1;
  for (const HloInstruction* operand : i.operands()) {
    const auto found = sizes.find(operand);
    if (found == sizes.end() || found->second == 0) return 0;
    size += found->second;
  }
  return size <= kMostInstructions ? size : 0;
}

}  // namespace

bool SplitConstants(HloModule& module, RewriteGate& gate) {
  bool changed = false;
  for (HloComputation* computation : ControlFlowComputations(module)) {
    Sizes sizes;
    const std::vector<HloInstruction*> order = computation->PostOrder();
    for (const HloInstruction* i : order) sizes[i] = SizeOf(*i, sizes);
    // Users first: a copy is one more user of each of its operands.
    for (size_t k = order.size(); k-- > 0;) {
      HloInstruction* i = order[k];
      if (sizes[i] == 0 || i->shape().rank() == 0 || i->IsRoot() || i->user_count() < 2) continue;
      if (!gate.Allow(kSplit, *i)) continue;
      const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
      for (size_t u = 1; u < users.size(); ++u) {
        HloInstruction* copy = computation->AddClone(*i, {i->operands().begin(), i->operands().end()});
        computation->MoveBefore(copy, i);
        i->ReplaceUseWith(users[u], copy);
      }
      gate.Done(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hloir::spmd
