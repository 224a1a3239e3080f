// See util.h.
#include "hloir/rewrite_util.h"

#include <algorithm>
#include <utility>
#include <unordered_map>

#include "hloir/detail/fetch_ahead.h"

namespace hloir {

bool RewritingPass::ForEach(HloModule& module, HloOpcode opcode, const std::function<bool(HloInstruction*)>& rewrite) {
  bool changed = false;
  for (HloComputation* computation : InFetchedOrder(ControlFlowComputations(module))) {
    for (HloInstruction* i : InstructionsOf(*computation, opcode)) changed |= rewrite(i);
  }
  return changed;
}

void RewritingPass::PutInPlaceOf(HloInstruction* old, HloInstruction* made) {
  InheritAnnotations(made, *old);
  if (!(made->shape() == old->shape())) made->set_shape(old->shape());
  old->ReplaceAllUsesWith(made);
  gate_.Done(made);
  RemoveIfDead(old);
}

bool RewritingPass::ReplaceWith(HloInstruction* old, HloInstruction* existing, const RuleInfo& rule) {
  if ((old->user_count() == 0 && !old->IsRoot()) || !MayTakePlaceOf(*existing, *old) || !Ask(rule, *old)) return false;
  old->ReplaceAllUsesWith(existing);
  gate_.Done(existing);
  RemoveIfDead(old);
  return true;
}

bool MayTakePlaceOf(const HloInstruction& replacement, const HloInstruction& original) {
  if (&replacement.shape() != &original.shape() && !(replacement.shape() == original.shape())) return false;
  if (!original.has_extras()) return true;
  const InstructionExtras& extras = original.extras();
  if (original.sharding() != nullptr &&
      (replacement.sharding() == nullptr || !(*replacement.sharding() == *original.sharding()))) {
    return false;
  }
  return extras.frontend_attributes.empty() || replacement.extras().frontend_attributes == extras.frontend_attributes;
}

void InheritAnnotations(HloInstruction* replacement, const HloInstruction& original) {
  if (replacement->metadata() == nullptr) replacement->CopyMetadataOf(original);
  if (!original.has_extras()) return;
  const InstructionExtras& from = original.extras();
  if (original.sharding() == nullptr && from.frontend_attributes.empty() && !from.original_value) return;
  const InstructionExtras& to = replacement->extras();
  if (replacement->sharding() == nullptr && original.sharding() != nullptr)
    replacement->set_sharding(*original.sharding());
  if (to.frontend_attributes.empty()) replacement->set_frontend_attributes(from.frontend_attributes);
  if (!to.original_value) replacement->set_original_value(from.original_value);
}

void KeepOrigins(HloInstruction& tuple, const std::vector<bool>& keep) {
  if (!tuple.has_extras() || !tuple.extras().original_value) return;
  OriginalValue kept = *tuple.extras().original_value;
  std::vector<OriginalValue> all = std::exchange(kept.elements, {});
  for (size_t k = 0; k < all.size(); ++k) {
    if (keep[k]) kept.elements.push_back(std::move(all[k]));
  }
  tuple.set_original_value(std::move(kept));
}

bool IsWrapped(const HloComputation& computation) {
  for (const HloInstruction* caller : computation.callers()) {
    if (caller->opcode() == HloOpcode::kFusion || caller->opcode() == HloOpcode::kAsyncStart) return true;
  }
  return false;
}

OpcodeSet OpcodesWith(uint32_t traits) {
  OpcodeSet set;
  for (int opcode = 0; opcode < kOpcodeCount; ++opcode)
    set[static_cast<size_t>(opcode)] = HasTrait(static_cast<HloOpcode>(opcode), traits);
  return set;
}

std::vector<HloComputation*> ControlFlowComputations(HloModule& module) {
  // The module's post-order without irrelevant computations: a module may have as many fusion bodies as instructions.
  std::vector<HloComputation*> result;
  if (module.entry_computation() == nullptr) return result;
  std::vector<bool> seen(static_cast<size_t>(module.computation_id_limit()), false);
  struct Frame {
    HloComputation* computation;
    HloInstruction* at;
    size_t callee;
    const HloInstruction* ahead;  // of `at`: what it calls is prefetched
  };
  constexpr int kAhead = 8;
  std::vector<Frame> stack;
  static const OpcodeSet kControlFlowOpcodes = OpcodesWith(kControlFlow);
  const auto enter = [&](HloComputation* computation) {
    if (seen[static_cast<size_t>(computation->id())]) return;
    seen[static_cast<size_t>(computation->id())] = true;
    HloInstruction* first = (computation->opcodes() & kControlFlowOpcodes).any() ? computation->first() : nullptr;
    const HloInstruction* ahead = first;
    for (int k = 0; k < kAhead && ahead != nullptr; ++k) ahead = ahead->next();
    stack.push_back({computation, first, 0, ahead});
  };
  enter(module.entry_computation());
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.at == nullptr) {
      if (!IsWrapped(*top.computation)) result.push_back(top.computation);
      stack.pop_back();
    } else if (!top.at->Is(kControlFlow) || top.callee == top.at->called_computations().size()) {
      FetchAhead(top.at);
      top.at = top.at->next();
      top.callee = 0;
      if (top.ahead == nullptr) continue;
      if (top.ahead->Is(kControlFlow)) {
        for (const HloComputation* called : top.ahead->called_computations()) __builtin_prefetch(called);
      }
      top.ahead = top.ahead->next();
    } else {
      enter(top.at->called_computations()[top.callee++]);
    }
  }
  return result;
}

Effects::Effects(const HloModule& module) : acts_(static_cast<size_t>(module.computation_id_limit()), false) {
  static const OpcodeSet kOutside =
      OpcodesWith(kSideEffect | kCollective | kAsyncPart).set(static_cast<size_t>(HloOpcode::kCustomCall));
  bool any = false;
  for (const HloComputation* computation : module.PostOrder()) {  // callees first
    // Skips computations without opcodes or callees that may have effects.
    if ((computation->opcodes() & kOutside).none() && (!any || computation->calling_count() == 0)) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (Acts(*i)) {
        acts_[static_cast<size_t>(computation->id())] = any = true;
        break;
      }
    }
  }
}

bool Effects::Acts(const HloInstruction& i) const {
  if (i.called_computations().empty() || i.Is(kAsyncPart)) return ActsOutside(i);
  for (const HloComputation* called : i.called_computations()) {
    // One that came later is looked through.
    if (static_cast<size_t>(called->id()) >= acts_.size()) return ActsOutside(i);
    if (acts_[static_cast<size_t>(called->id())]) return true;
  }
  return i.Is(kCollective) || (!i.Is(kControlFlow) && ActsOutside(i));
}

bool Effects::MayRemoveIfUnused(const HloInstruction& i) const {
  return !i.IsParameter() && !i.HasControlDependencies() && !Acts(i);
}

HloInstruction* InlineBefore(HloInstruction* place, const HloComputation& body,
                             std::span<HloInstruction* const> arguments) {
  HloComputation& into = *place->parent();
  std::unordered_map<const HloInstruction*, HloInstruction*> copies;
  std::vector<HloInstruction*> operands;
  for (const HloInstruction* i : body.PostOrder()) {
    HloInstruction*& copy = copies[i];
    if (i->IsParameter()) {
      copy = arguments[static_cast<size_t>(i->parameter_number())];
      continue;
    }
    operands.clear();
    for (const HloInstruction* operand : i->operands()) operands.push_back(copies.at(operand));
    copy = into.AddClone(*i, operands);
    // Its layout is the operand's, also when parsed from text; an argument may have another layout than the parameter.
    if (copy->opcode() == HloOpcode::kAddDependency) copy->set_shape(operands[0]->shape());
    if (copy->metadata() == nullptr) copy->CopyMetadataOf(*place);
    into.MoveBefore(copy, place);
  }
  return copies.at(body.root());
}

bool MayBeInlined(const HloComputation& body, const HloComputation& into) {
  if (body.execution_thread() != into.execution_thread()) return false;
  // The Shardy partitioner finds its bodies by name.
  if (body.name().find("xla.sdy") != std::string_view::npos) return false;
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (i->HasControlDependencies()) return false;
    // A carried async value is associated with its operation only through the loop.
    const bool goes_on = i->opcode() == HloOpcode::kAsyncUpdate || i->opcode() == HloOpcode::kAsyncDone;
    if (goes_on && !i->operand(0)->Is(kAsyncPart)) return false;
  }
  return true;
}

HloComputation* OwnComputation(HloInstruction* caller, int64_t k) {
  HloComputation* called = caller->called_computations()[static_cast<size_t>(k)];
  const auto& all = caller->called_computations();
  if (called->callers().size() == 1 && std::count(all.begin(), all.end(), called) == 1) return called;
  HloComputation* own = caller->module()->CloneComputation(*called);
  caller->set_called_computation(k, own);
  return own;
}

std::vector<HloInstruction*> InOrder(HloComputation& computation) {
  return computation.module()->config().is_scheduled ? computation.instructions() : computation.PostOrder();
}

std::vector<HloInstruction*> InstructionsOf(HloComputation& computation, HloOpcode opcode) {
  bool any = false;
  if (!computation.MayHave(opcode)) return {};
  for (const HloInstruction* i : computation.AllInstructions()) {
    if ((any = i->opcode() == opcode)) break;
  }
  if (!any) return {};
  std::vector<HloInstruction*> found = InOrder(computation);
  constexpr size_t kFetched = 16;
  size_t kept = 0;
  for (size_t k = 0; k < found.size(); ++k) {
    if (k + kFetched < found.size()) Fetch(found[k + kFetched]);
    if (found[k]->opcode() == opcode) found[kept++] = found[k];
  }
  found.resize(kept);
  return found;
}

}  // namespace hloir
