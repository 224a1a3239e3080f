// See shrink.h.
#include "tests/random/shrink.h"

#include <vector>

#include "hloir/verifier.h"

namespace hloir {
namespace {

void RemoveDead(HloModule& module) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<HloComputation*> all(module.computations().begin(), module.computations().end());
    for (HloComputation* computation : all) {
      if (computation != module.entry_computation() && computation->callers().empty()) {
        module.RemoveComputation(computation);
        changed = true;
        continue;
      }
      for (HloInstruction* i : computation->instructions()) {
        if (i->user_count() > 0 || i->IsRoot() || i->IsParameter() || i->HasControlDependencies()) continue;
        computation->RemoveInstruction(i);
        changed = true;
      }
    }
    HloComputation* entry = module.entry_computation();
    for (int64_t k = entry->parameter_count(); k-- > 0;) {
      if (entry->parameter(k)->user_count() == 0 && !entry->parameter(k)->IsRoot()) entry->RemoveParameter(k), changed = true;
    }
  }
}

// The n-th way to make the module smaller; false if there is none of that number. `skip` is set if it cannot be done.
bool MakeSmaller(HloModule& module, int64_t n, bool& skip) {
  skip = false;
  HloComputation* entry = module.entry_computation();
  HloInstruction* root = entry->root();
  // One result less, or the one result by itself.
  if (root->opcode() == HloOpcode::kTuple && root->operand_count() > 0) {
    if (n < root->operand_count()) {
      std::vector<HloInstruction*> kept(root->operands().begin(), root->operands().end());
      kept.erase(kept.begin() + n);
      HloInstruction* smaller = kept.size() == 1 ? kept[0] : entry->AddTuple(kept);
      entry->set_root(smaller);
      return true;
    }
    n -= root->operand_count();
  }
  // An instruction's place goes to an operand of its shape, a new parameter, or zeros.
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* i : computation->instructions()) {
      const int64_t ways = i->operand_count() + 2;
      if (n >= ways) {
        n -= ways;
        continue;
      }
      skip = true;
      if (i->IsParameter() || i->IsConstant() || (i->IsRoot() && i->opcode() == HloOpcode::kTuple)) return true;
      HloInstruction* replacement = nullptr;
      if (n < i->operand_count()) {
        if (i->operand(n)->shape() == i->shape()) replacement = i->operand(n);
      } else if (n == i->operand_count()) {
        if (computation == entry && i->shape().IsArray()) replacement = entry->AddParameter(entry->parameter_count(), i->shape(), "q");
      } else if (i->shape().IsArray() && i->opcode() != HloOpcode::kBroadcast) {
        replacement = computation->AddConstant(Literal(i->shape()));
      }
      if (replacement == nullptr) return true;
      i->ReplaceAllUsesWith(replacement);
      skip = false;
      return true;
    }
  }
  return false;
}

}  // namespace

std::unique_ptr<HloModule> Shrink(const HloModule& module, const std::function<bool(const HloModule&)>& fails) {
  std::unique_ptr<HloModule> best = module.Clone();
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (int64_t n = 0;;) {
      std::unique_ptr<HloModule> candidate = best->Clone();
      bool skip = false;
      if (!MakeSmaller(*candidate, n, skip)) break;
      if (!skip) RemoveDead(*candidate);
      if (skip || !VerifyModule(*candidate).ok() || !fails(*candidate)) {
        ++n;
        continue;
      }
      best = std::move(candidate);
      smaller = true;
    }
  }
  return best;
}

}  // namespace hloir
