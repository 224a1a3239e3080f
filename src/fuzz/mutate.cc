// See mutate.h. Each change is made to a copy and kept if that is legal, so changes need not check the rules of called
// computations, fusions and asynchronous pairs.
#include "fuzz/mutate.h"

#include <optional>
#include <utility>
#include <vector>

#include "fuzz/ops.h"
#include "fuzz/mutants.h"
#include "hloir/verifier.h"

namespace hloir::fuzz {
namespace {

class Mutator : public RandomOps {
 public:
  using RandomOps::RandomOps;

  // True if a legal change may exist.
  bool Change() {
    HloInstruction* user = AnyUser();
    if (user == nullptr) return false;
    switch (Below(8)) {
      case 0:
      case 1: return Rewire(user);
      case 2:
      case 3:
      case 4: return Grow(user);
      case 5: return LeaveOut(user);
      case 6: return Double(user);
      default: return MoveOut(user);
    }
  }

 private:
  // An instruction with operands in an executed computation.
  HloInstruction* AnyUser() {
    Ops all;
    for (HloComputation* computation : module_.PostOrder())
      for (HloInstruction* i : computation->PostOrder())
        if (i->operand_count() > 0) all.push_back(i);
    return all.empty() ? nullptr : random_.From(all);
  }

  // The arrays in the computation of `user` that do not depend on it: as operands they create no cycle.
  void BeginBefore(HloInstruction* user) {
    std::vector<bool> later(static_cast<size_t>(module_.instruction_id_limit()));
    Ops waiting{user};
    later[static_cast<size_t>(user->id())] = true;
    while (!waiting.empty()) {
      Op i = waiting.back();
      waiting.pop_back();
      const auto visit = [&](Op next) {
        if (later[static_cast<size_t>(next->id())]) return;
        later[static_cast<size_t>(next->id())] = true;
        waiting.push_back(next);
      };
      for (Op next : i->users()) visit(next);
      for (Op next : i->control_successors()) visit(next);
    }
    frames_.push_back({user->parent(), {}});
    for (Op i : user->parent()->PostOrder())
      if (i->shape().IsArray() && i->shape().IsStatic() && !later[static_cast<size_t>(i->id())]) values().push_back(i);
  }

  bool Replace(HloInstruction* user, Op value) {
    Ops places;
    for (Op operand : user->operands())
      if (value != nullptr && operand != value && operand->shape().Compatible(value->shape()))
        places.push_back(operand);
    if (places.empty()) return false;
    Op old = random_.From(places);
    for (int64_t k = 0; k < user->operand_count(); ++k) {
      if (user->operand(k) != old) continue;
      user->ReplaceOperandWith(k, value);
      return true;
    }
    return false;
  }

  // Another value of the same shape.
  bool Rewire(HloInstruction* user) {
    BeginBefore(user);
    Ops fitting;
    for (Op value : values())
      for (Op operand : user->operands())
        if (value != operand && value->shape().Compatible(operand->shape())) fitting.push_back(value);
    frames_.pop_back();
    return !fitting.empty() && Replace(user, random_.From(fitting));
  }

  // Replaces an operand by the result of some new operations on existing values.
  bool Grow(HloInstruction* user) {
    BeginBefore(user);
    bool grown = false;
    if (!values().empty()) {
      for (int64_t k = 1 + Below(3); k > 0; --k) {
        switch (Below(8)) {
          case 0:
          case 1:
          case 2: Elementwise(); break;
          case 3:
          case 4: Movement(); break;
          case 5: Reduction(); break;
          case 6: Chance(50) ? Indexed() : Contraction(); break;
          default: Chance(50) ? Plumbing() : Whole(); break;
        }
      }
      const Op operand = user->operand(Below(user->operand_count()));
      if (operand->shape().IsArray() && operand->shape().IsStatic()) grown = Replace(user, Like(operand->shape()));
    }
    frames_.pop_back();
    return grown;
  }

  // Its users read one of its operands.
  static bool LeaveOut(HloInstruction* user) {
    for (Op operand : user->operands()) {
      if (!operand->shape().Compatible(user->shape())) continue;
      user->ReplaceAllUsesWith(operand);
      return true;
    }
    return false;
  }

  // Some of its users read a copy of it.
  bool Double(HloInstruction* user) {
    const Ops users(user->users().begin(), user->users().end());
    if (users.empty()) return false;
    Op copy = user->parent()->AddClone(*user, user->operands());
    user->ReplaceUseWith(random_.From(users), copy);
    return true;
  }

  // Moves the operation into a new computation that is called, or into two equal branches.
  bool MoveOut(HloInstruction* user) {
    HloComputation* parent = user->parent();
    HloComputation* inner = module_.AddComputation("moved");
    Ops parameters;
    for (Op operand : user->operands())
      parameters.push_back(inner->AddParameter(inner->parameter_count(), operand->shape(), "p"));
    inner->set_root(inner->AddClone(*user, parameters));
    Op made = nullptr;
    if (Chance(60)) {
      made = parent->AddInstruction(HloOpcode::kCall, user->shape(), user->operands(), CallAttributes());
      made->AddCalledComputation(inner);
    } else {
      HloComputation* unpacks = module_.AddComputation("branch");
      Op both = parent->AddTuple(user->operands());
      Op packed = unpacks->AddParameter(0, both->shape(), "packed");
      Ops elements;
      for (int64_t k = 0; k < user->operand_count(); ++k) elements.push_back(unpacks->AddGetTupleElement(packed, k));
      Op root = unpacks->AddInstruction(HloOpcode::kCall, user->shape(), elements, CallAttributes());
      root->AddCalledComputation(inner);
      unpacks->set_root(root);
      BeginBefore(user);
      Op which = Like(Shape::Scalar(PrimitiveType::PRED));
      frames_.pop_back();
      made = parent->AddInstruction(HloOpcode::kConditional, user->shape(), {which, both, both});
      made->AddCalledComputation(unpacks);
      made->AddCalledComputation(unpacks);
    }
    user->ReplaceAllUsesWith(made);
    // An asynchronous operation must not be ended twice.
    if (user->user_count() == 0 && !user->HasControlDependencies()) parent->RemoveInstruction(user);
    return true;
  }
};

}  // namespace

std::unique_ptr<HloModule> MutateModule(const HloModule& module, uint64_t seed) {
  Random random(seed);
  std::unique_ptr<HloModule> now = module.Clone();
  now->config().is_scheduled = false;
  int64_t changes = random.Between(1, 6);
  for (int64_t tries = 0; tries < 40 && changes > 0; ++tries) {
    std::unique_ptr<HloModule> next;
    if (random.Chance(35)) {
      const auto kind = static_cast<size_t>(random.Below(static_cast<int64_t>(MutantKinds().size())));
      if (std::optional<Mutant> mutant = MakeMutant(*now, kind, random.Bits())) next = std::move(mutant->module);
    } else {
      next = now->Clone();
      if (!Mutator(*next, random, ProgramOptions()).Change()) next = nullptr;
    }
    if (next == nullptr || !VerifyModule(*next).ok()) continue;
    now = std::move(next);
    --changes;
  }
  return now;
}

}  // namespace hloir::fuzz
