// algebraic-simplifier: rewrites instructions by the laws of what they compute. The rules are in this folder's other
// files, one per operator family; rules.h says what a rule is; this file only runs them.
//
// Each instruction is looked at once, operands first; a rewrite puts on the worklist what it made, the users of what
// now stands there, and operands that lost a user. So the time is linear in the instructions and rewrites.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[2,3]{1,0} parameter(0)
//   one = f32[] constant(1)
//   ones = f32[2,3]{1,0} broadcast(one), dimensions={}
//   product = f32[2,3]{1,0} multiply(x, ones)
//   t = f32[3,2]{1,0} transpose(product), dimensions={1,0}
//   ROOT tt = f32[2,3]{1,0} transpose(t), dimensions={1,0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   ROOT x = f32[2,3]{1,0} parameter(0)
// }
// END
//
// Leaves alone: bodies of fusions and async operations; instructions with control dependencies; dynamic shapes; an
// instruction whose sharding or frontend attributes would get lost; rules whose class is over --math, or that are
// disabled by name.
#include <deque>

#include "algebraic_simplifier/rules.h"
#include "pass_util.h"

namespace hloir {
namespace algebraic_simplifier {
namespace {

class AlgebraicSimplifier : public HloPass {
 public:
  explicit AlgebraicSimplifier(const PassOptions& options) : options_(options), gate_(name(), options_) {
    for (std::span<const Rule> family : AllFamilies()) {
      const bool elementwise = family.data() == ElementwiseRules().data();
      for (const Rule& rule : family) {
        if (!gate_.Enabled(rule.name, MathMode::kExact)) continue;
        for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
          bool wanted = elementwise ? HasTrait(static_cast<HloOpcode>(opcode), kElementwise)
                                    : rule.opcode == static_cast<HloOpcode>(opcode);
          if (wanted) rules_[opcode].push_back(&rule);
        }
      }
    }
  }
  std::string_view name() const override { return "algebraic-simplifier"; }

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    state_.assign(static_cast<size_t>(module.instruction_id_limit()), kIdle);
    for (HloComputation* computation : module.MakeComputationPostOrder()) {
      if (!IsWrapped(*computation)) changed |= RunOn(*computation);
    }
    return changed;
  }

 private:
  bool RunOn(HloComputation& computation);
  // What one of the rules makes of it, or nullptr.
  HloInstruction* ApplyRules(HloInstruction* instruction, RuleContext& context);
  void Push(HloInstruction* instruction);
  void RemoveDeadFrom(HloInstruction* instruction);

  // By id(), for the whole module: ids are never used again.
  enum State : uint8_t { kIdle, kQueued, kDead };
  State& StateOf(const HloInstruction* i) {
    size_t at = static_cast<size_t>(i->id());
    if (at >= state_.size()) state_.resize(at + at / 2 + 1, kIdle);
    return state_[at];
  }

  PassOptions options_;
  RewriteGate gate_;
  std::vector<const Rule*> rules_[kOpcodeCount];
  std::vector<State> state_;
  std::deque<HloInstruction*> worklist_;
};

HloInstruction* AlgebraicSimplifier::ApplyRules(HloInstruction* instruction, RuleContext& context) {
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

void AlgebraicSimplifier::Push(HloInstruction* instruction) {
  State& state = StateOf(instruction);
  if (state != kIdle) return;
  state = kQueued;
  worklist_.push_back(instruction);
}

void AlgebraicSimplifier::RemoveDeadFrom(HloInstruction* instruction) {
  std::vector<HloInstruction*> stack{instruction};
  while (!stack.empty()) {
    HloInstruction* dead = stack.back();
    stack.pop_back();
    if (StateOf(dead) == kDead || !IsDead(*dead)) continue;
    StateOf(dead) = kDead;
    std::vector<HloInstruction*> operands(dead->operands().begin(), dead->operands().end());
    dead->parent()->RemoveInstruction(dead);
    for (HloInstruction* operand : operands) {
      if (StateOf(operand) == kDead) continue;
      if (IsDead(*operand)) {
        stack.push_back(operand);
      } else if (operand->user_count() == 1) {
        // Rules that ask for one user may fire now: on it, and on what uses it.
        Push(operand);
        Push(operand->users()[0]);
      }
    }
  }
}

bool AlgebraicSimplifier::RunOn(HloComputation& computation) {
  std::vector<HloInstruction*> order = computation.MakeInstructionPostOrder();
  worklist_.clear();
  for (HloInstruction* instruction : order) Push(instruction);
  RuleContext context(gate_);
  bool changed = false;
  // The rules end by themselves; this bound is for the case that two of them do not, so that it shows in a test and not
  // as a command that never comes back.
  int64_t rewrites_left = 1000 + 64 * static_cast<int64_t>(order.size());
  while (!worklist_.empty()) {
    HloInstruction* instruction = worklist_.front();
    worklist_.pop_front();
    if (StateOf(instruction) == kDead) continue;
    StateOf(instruction) = kIdle;
    if (IsDead(*instruction)) {
      if (!gate_.Enabled("dead-instruction", MathMode::kExact)) continue;
      if (!gate_.Allow("dead-instruction", "A, unused => nothing", MathMode::kExact, *instruction)) continue;
      RemoveDeadFrom(instruction);
      gate_.Done(nullptr);
      changed = true;
      continue;
    }
    HloInstruction* last_before = computation.last();
    HloInstruction* replacement = ApplyRules(instruction, context);
    if (replacement == nullptr) continue;
    changed = true;
    // What the rule made stands behind what was the last instruction. It goes to where it is needed: a schedule stays
    // one.
    bool replacement_is_new = false;
    while (HloInstruction* made = last_before->next()) {
      computation.MoveBefore(made, instruction);
      if (made->metadata() == nullptr) made->set_metadata(instruction->metadata());
      replacement_is_new |= made == replacement;
      Push(made);
    }
    if (replacement_is_new) {
      InheritAnnotations(replacement, *instruction);
      if (!(replacement->shape() == instruction->shape())) replacement->set_shape(instruction->shape());
    }
    Push(replacement);
    for (HloInstruction* user : instruction->users()) Push(user);
    instruction->ReplaceAllUsesWith(replacement);
    gate_.Done(replacement);
    RemoveDeadFrom(instruction);
    if (--rewrites_left == 0) break;
  }
  return changed;
}

}  // namespace
}  // namespace algebraic_simplifier

std::unique_ptr<HloPass> MakeAlgebraicSimplifier(const PassOptions& options) {
  return std::make_unique<algebraic_simplifier::AlgebraicSimplifier>(options);
}

std::vector<RuleInfo> AlgebraicRules() {
  std::vector<RuleInfo> rules;
  for (std::span<const algebraic_simplifier::Rule> family : algebraic_simplifier::AllFamilies()) {
    for (const algebraic_simplifier::Rule& rule : family) {
      rules.push_back({rule.name, rule.formula, rule.integers, rule.floats});
    }
  }
  return rules;
}

}  // namespace hloir
