// The driver of a pass made of rules (rules.h): each instruction is visited once, operands first; a rewrite puts the
// new instructions, the users of the replacement, and operands that lost a user on the worklist. So the time is linear
// in the instructions and rewrites. tests/passes/algebraic-simplifier.
#include <algorithm>

#include "hloir/rules.h"
#include "hloir/detail/fetch_ahead.h"
#include "ir/mixed_floats.h"
#include "hloir/rewrite_util.h"

namespace hloir::rules {
namespace {

constexpr RuleInfo kDeadInstruction = {"dead-instruction", "A, unused => nothing"};

class RulePass : public RewritingPass {
 public:
  RulePass(std::string_view name, std::span<const std::span<const Rule>> families, const PassOptions& options)
      : RewritingPass(name, options) {
    for (std::span<const Rule> family : families) {
      for (const Rule& rule : family) {
        if (!gate_.Enabled(rule.info(), MathMode::kExact)) continue;
        for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
          bool wanted = rule.every_elementwise ? HasTrait(static_cast<HloOpcode>(opcode), kElementwise)
                                               : rule.opcode == static_cast<HloOpcode>(opcode);
          if (!wanted) continue;
          rules_[opcode].push_back(&rule);
          opcodes_.set(static_cast<size_t>(opcode));
        }
      }
    }
  }
  StatusOr<bool> Run(HloModule& module) override {
    // Checked before ordering the computations, which takes longer in a large module.
    if (!MayApplyToAny(module)) return false;
    // Rules assume that only convert changes the float type. A pipeline has done this already.
    bool changed = LegalizeMixedFloats(module);
    // All present instructions are queued.
    id_limit_ = module.instruction_id_limit();
    state_.assign(static_cast<size_t>(id_limit_), kQueued);
    for (HloComputation* computation : InFetchedOrder(module.PostOrder())) {
      if (!MayApply(*computation)) continue;
      HLOIR_ASSIGN_OR_RETURN(const bool changed_here, RunOn(*computation));
      changed |= changed_here;
    }
    // The next pass may have the memory.
    state_ = {};
    worklist_ = {};
    return changed;
  }

 private:
  // True if it has an instruction of an opcode with rules.
  bool MayApply(const HloComputation& computation) const;
  bool MayApplyToAny(const HloModule& module) const {
    for (const HloComputation* computation : InFetchedOrder(module.computations())) {
      if (MayApply(*computation)) return true;
    }
    return false;
  }
  StatusOr<bool> RunOn(HloComputation& computation);
  // The result of the first rule that applies, or nullptr.
  HloInstruction* ApplyRules(HloInstruction* instruction, RuleContext& context);
  void Push(HloInstruction* instruction);
  void RemoveDeadFrom(HloInstruction* instruction);

  // By id(), for the whole module: ids are never reused.
  enum State : uint8_t { kIdle, kQueued, kDead };
  State& StateOf(const HloInstruction* i) {
    size_t at = static_cast<size_t>(i->id());
    if (at >= state_.size()) state_.resize(at + at / 2 + 1, kIdle);
    return state_[at];
  }

  std::vector<const Rule*> rules_[kOpcodeCount];
  OpcodeSet opcodes_;  // for which there are any
  std::vector<State> state_;
  int32_t id_limit_ = 0;                   // when the pass began
  std::vector<HloInstruction*> worklist_;  // first come, first served
};

HloInstruction* RulePass::ApplyRules(HloInstruction* instruction, RuleContext& context) {
  const std::vector<const Rule*>& rules = rules_[static_cast<int>(instruction->opcode())];
  if (rules.empty() || instruction->HasControlDependencies() || !instruction->shape().IsStatic()) return nullptr;
  for (const HloInstruction* operand : instruction->operands()) {
    if (!operand->shape().IsStatic()) return nullptr;
  }
  PrimitiveType type = ComputedType(*instruction);
  const bool floating = IsFloat(type) || IsComplex(type);
  for (const Rule* rule : rules) {
    MathMode math = floating ? rule->floats : rule->integers;
    if (math > options_.math) continue;
    context.Begin(rule, instruction, math);
    if (HloInstruction* replacement = rule->apply(instruction, context)) return replacement;
  }
  return nullptr;
}

void RulePass::Push(HloInstruction* instruction) {
  State& state = StateOf(instruction);
  if (state != kIdle) return;
  state = kQueued;
  worklist_.push_back(instruction);
}

void RulePass::RemoveDeadFrom(HloInstruction* instruction) {
  // A collective replaced by a rule is removed, because it is removed on every device; an unused one is kept.
  const bool collective = instruction->Is(kCollective) && !instruction->Is(kAsyncPart) &&
                          !instruction->HasSideEffect() && !instruction->HasControlDependencies() &&
                          instruction->user_count() == 0 && !instruction->IsRoot();
  const HloInstruction* replaced = collective ? instruction : nullptr;
  std::vector<HloInstruction*> stack{instruction};
  while (!stack.empty()) {
    HloInstruction* dead = stack.back();
    stack.pop_back();
    if (StateOf(dead) == kDead || (!IsDead(*dead) && dead != replaced)) continue;
    StateOf(dead) = kDead;
    std::vector<HloInstruction*> operands(dead->operands().begin(), dead->operands().end());
    dead->parent()->RemoveInstruction(dead);
    for (HloInstruction* operand : operands) {
      if (StateOf(operand) == kDead) continue;
      if (IsDead(*operand)) {
        stack.push_back(operand);
      } else if (operand->user_count() == 1) {
        // Rules that require a single user may now apply to it and its users.
        Push(operand);
        Push(operand->users()[0]);
      }
    }
  }
}

bool RulePass::MayApply(const HloComputation& computation) const {
  if ((computation.opcodes() & opcodes_).none() || IsWrapped(computation)) return false;
  // A computation without callers may have been the body of a fusion.
  if (!computation.IsEntry() && computation.callers().empty()) return false;
  for (const HloInstruction* i : computation.AllInstructions()) {
    if (opcodes_[static_cast<size_t>(i->opcode())]) return true;
  }
  return false;
}

StatusOr<bool> RulePass::RunOn(HloComputation& computation) {
  worklist_ = computation.PostOrder();
  constexpr size_t kFetched = 16;                                  // prefetch distance in instructions
  if (computation.module()->instruction_id_limit() > id_limit_) {  // it may have new ones
    for (const HloInstruction* i : worklist_) StateOf(i) = kQueued;
  }
  RuleContext context(gate_);
  bool changed = false;
  // The rules terminate; this limit makes a mistake (two rules that undo each other) an error instead of an endless
  // loop.
  int64_t rewrites_left = 1000 + 64 * static_cast<int64_t>(worklist_.size());
  for (size_t next = 0; next < worklist_.size(); ++next) {
    HloInstruction* instruction = worklist_[next];
    if (next + kFetched < worklist_.size()) Fetch(worklist_[next + kFetched]);
    if (StateOf(instruction) == kDead) continue;
    StateOf(instruction) = kIdle;
    if (IsDead(*instruction)) {
      if (!Ask(kDeadInstruction, *instruction)) continue;
      RemoveDeadFrom(instruction);
      gate_.Done(nullptr);
      changed = true;
      continue;
    }
    HloInstruction* last_before = computation.last();
    HloInstruction* replacement = ApplyRules(instruction, context);
    if (replacement == nullptr) continue;
    if (!context.allowed())
      return Internal("the rule '" + std::string(context.rule().name) + "' of " + name_ +
                      " built without asking Allow()");
    changed = true;
    // New instructions follow the former last one. They are moved in front of their users, to keep the order a
    // schedule.
    bool replacement_is_new = false;
    while (HloInstruction* made = last_before->next()) {
      computation.MoveBefore(made, instruction);
      if (made->metadata() == nullptr) made->CopyMetadataOf(*instruction);
      replacement_is_new |= made == replacement;
      Push(made);
    }
    if (replacement_is_new) {
      InheritAnnotations(replacement, *instruction);
      if (!(replacement->shape() == instruction->shape())) replacement->set_shape(instruction->shape());
    }
    Push(replacement);
    // Most rules also match operands of operands.
    constexpr int64_t kFewUsers = 8;
    for (HloInstruction* user : instruction->users()) {
      Push(user);
      if (user->user_count() > kFewUsers) continue;
      for (HloInstruction* next : user->users()) Push(next);
    }
    instruction->ReplaceAllUsesWith(replacement);
    gate_.Done(replacement);
    RemoveDeadFrom(instruction);
    if (--rewrites_left == 0) break;
  }
  return changed;
}

}  // namespace

PassDefinition DefineRulePass(std::vector<std::span<const Rule>> families) {
  PassDefinition pass;
  for (std::span<const Rule> family : families) {
    for (const Rule& rule : family) pass.rules.push_back(rule.info());
  }
  pass.rules.push_back(kDeadInstruction);
  pass.make = [families = std::move(families)](std::string_view name, const PassOptions& options) {
    return std::make_unique<RulePass>(name, families, options);
  };
  return pass;
}

}  // namespace hloir::rules
