// See pass_util.h.
#include "pass_util.h"

#include <algorithm>

namespace hloir {

bool MayRemoveIfUnused(const HloInstruction& instruction) {
  if (instruction.IsParameter() || instruction.HasControlDependencies()) return false;
  if (instruction.Is(kSideEffect | kAsyncPart | kCollective)) return false;
  return !instruction.HasSideEffect();
}

bool IsDead(const HloInstruction& instruction) {
  return instruction.user_count() == 0 && !instruction.IsRoot() && MayRemoveIfUnused(instruction);
}

void RemoveIfDead(HloInstruction* instruction) {
  if (!IsDead(*instruction)) return;
  std::vector<HloInstruction*> worklist{instruction};
  while (!worklist.empty()) {
    HloInstruction* dead = worklist.back();
    worklist.pop_back();
    // Each operand once, however many slots it fills.
    std::vector<HloInstruction*> operands(dead->operands().begin(), dead->operands().end());
    std::sort(operands.begin(), operands.end(), [](auto* a, auto* b) { return a->id() < b->id(); });
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    dead->parent()->RemoveInstruction(dead);
    for (HloInstruction* operand : operands) {
      if (IsDead(*operand)) worklist.push_back(operand);
    }
  }
}

bool MayTakePlaceOf(const HloInstruction& replacement, const HloInstruction& original) {
  if (&replacement.shape() != &original.shape() && !(replacement.shape() == original.shape())) return false;
  if (!original.has_extras()) return true;
  const InstructionExtras& extras = original.extras();
  if (extras.sharding != nullptr &&
      (replacement.sharding() == nullptr || !(*replacement.sharding() == *extras.sharding))) {
    return false;
  }
  return extras.frontend_attributes.empty() || replacement.extras().frontend_attributes == extras.frontend_attributes;
}

void InheritAnnotations(HloInstruction* replacement, const HloInstruction& original) {
  if (replacement->metadata() == nullptr) replacement->set_metadata(original.metadata());
  if (!original.has_extras()) return;
  const InstructionExtras& from = original.extras();
  if (from.sharding == nullptr && from.frontend_attributes.empty() && !from.original_value) return;
  InstructionExtras& to = replacement->mutable_extras();
  if (to.sharding == nullptr) to.sharding = from.sharding;
  if (to.frontend_attributes.empty()) to.frontend_attributes = from.frontend_attributes;
  if (!to.original_value) to.original_value = from.original_value;
}

bool IsWrapped(const HloComputation& computation) {
  for (const HloInstruction* caller : computation.callers()) {
    if (caller->opcode() == HloOpcode::kFusion || caller->opcode() == HloOpcode::kAsyncStart) return true;
  }
  return false;
}

std::vector<HloComputation*> ControlFlowComputations(const HloModule& module) {
  std::vector<bool> wanted(static_cast<size_t>(module.computation_id_limit()), false);
  std::vector<HloComputation*> order = module.MakeComputationPostOrder(), result;
  if (module.entry_computation() != nullptr) wanted[module.entry_computation()->id()] = true;
  // Callers before callees.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!wanted[(*it)->id()]) continue;
    for (const HloInstruction* i = (*it)->first(); i != nullptr; i = i->next()) {
      if (!i->Is(kControlFlow)) continue;
      for (const HloComputation* called : i->called_computations()) wanted[called->id()] = true;
    }
  }
  for (HloComputation* computation : order) {
    if (wanted[computation->id()] && !IsWrapped(*computation)) result.push_back(computation);
  }
  return result;
}

}  // namespace hloir
