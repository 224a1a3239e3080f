// hlo-module-dce: dead code across computations: parameters of called computations that are unread, and elements that
// loops compute only for themselves.
//
// BEFORE
// HloModule example
//
// inner_condition {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(3)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// inner_body {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   x = f32[4]{0} get-tuple-element(p), index=1
//   next_x = f32[4]{0} sine(x)
//   ROOT next = (s32[], f32[4]{0}) tuple(next_i, next_x)
// }
//
// half {
//   unread = f32[4]{0} parameter(0)
//   n = s32[] parameter(1)
//   two = s32[] constant(2)
//   ROOT half = s32[] divide(n, two)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   n = s32[] parameter(1)
//   init = (s32[], f32[4]{0}) tuple(n, x)
//   loop = (s32[], f32[4]{0}) while(init), condition=inner_condition, body=inner_body
//   i = s32[] get-tuple-element(loop), index=0
//   unread = f32[4]{0} get-tuple-element(loop), index=1
//   ROOT result = s32[] call(unread, i), to_apply=half
// }
// AFTER
// HloModule example
//
// inner_condition {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(3)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// inner_body {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   x = f32[4]{0} get-tuple-element(p), index=1
//   ROOT next = (s32[], f32[4]{0}) tuple(next_i, x)
// }
//
// half {
//   n = s32[] parameter(0)
//   two = s32[] constant(2)
//   ROOT half = s32[] divide(n, two)
// }
//
// ENTRY main {
//   n = s32[] parameter(1)
//   x = f32[4]{0} parameter(0)
//   init = (s32[], f32[4]{0}) tuple(n, x)
//   loop = (s32[], f32[4]{0}) while(init), condition=inner_condition, body=inner_body
//   unread = f32[4]{0} get-tuple-element(loop), index=1
//   i = s32[] get-tuple-element(loop), index=0
//   ROOT result = s32[] call(i), to_apply=half
// }
// END
//
// One walk over the module finds what is live, tuple element by tuple element, through calls and loops within loops. A
// dead element is then loop-invariant: while-loop-simplifier drops it, and dce removes the operands of a dropped
// parameter.
// Leaves alone: the entry's parameters; those of computations called by fusions; loops whose parts are not tuples, or
// have shardings or control dependencies.
#include <algorithm>

#include "control_flow/loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kDeadElement = {"dead-element", "while((A, B)), B dead => B loop-invariant"};
constexpr RuleInfo kDeadParameter = {"dead-parameter", "call(A, B), f does not read B => call(A)"};

class HloModuleDce : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool any = false;
    for (const HloComputation* computation : module.computations()) {
      any = any || computation->MayHave(HloOpcode::kWhile) || computation->MayHave(HloOpcode::kCall);
    }
    if (!any) return false;
    FindLive(module);
    bool changed = ForEach(module, HloOpcode::kWhile, [this](HloInstruction* loop) {
      return IsTupleLoop(*loop) && loop->while_body()->callers().size() == 1 && HandOnDead(loop);
    });
    for (HloComputation* computation : InFetchedOrder(module.PostOrder())) changed |= DropParameters(computation);
    return changed;
  }

 private:
  // An instruction as a whole (element -1), or one element of the tuple that it is.
  struct Item {
    const HloInstruction* instruction;
    int64_t element;
  };

  void Mark(const HloInstruction* i, int64_t element) {
    const size_t whole = live_at_[static_cast<size_t>(i->id())];
    const size_t at = i->shape().IsTuple() && element >= 0 ? whole + static_cast<size_t>(element) + 1 : whole;
    if (live_[at] || live_[whole]) return;
    live_[at] = true;
    worklist_.push_back({i, at == whole ? -1 : element});
  }
  bool IsLive(const HloInstruction& i, int64_t element) const {
    const size_t whole = live_at_[static_cast<size_t>(i.id())];
    return live_[whole] || live_[whole + static_cast<size_t>(element) + 1];
  }

  void FindLive(const HloModule& module) {
    live_at_.assign(static_cast<size_t>(module.instruction_id_limit()), 0);
    std::vector<const HloInstruction*> roots{module.entry_computation()->root()};
    const Effects effects(module);
    size_t end = 0;
    for (const HloComputation* computation : InFetchedOrder(module.computations())) {
      // Bodies of reducers, fusions and the like are live as they are; instructions with side effects are live
      // everywhere.
      for (const HloInstruction* i : computation->AllInstructions()) {
        live_at_[static_cast<size_t>(i->id())] = end;
        end += 1 + static_cast<size_t>(i->shape().IsTuple() ? i->shape().tuple_size() : 0);
        if (!i->IsParameter() && !effects.MayRemoveIfUnused(*i)) roots.push_back(i);
      }
    }
    live_.assign(end, false);
    for (const HloInstruction* root : roots) Mark(root, -1);
    while (!worklist_.empty()) {
      const Item item = worklist_.back();
      worklist_.pop_back();
      Propagate(*item.instruction, item.element);
    }
  }

  // Marks the operands that are live if this is.
  void Propagate(const HloInstruction& i, int64_t element) {
    switch (i.opcode()) {
      case HloOpcode::kGetTupleElement:
        if (i.shape().IsTuple()) Mark(i.operand(0), -1);  // of nested tuples, the whole
        else Mark(i.operand(0), i.tuple_index());
        return;
      case HloOpcode::kTuple:
        if (element >= 0) return Mark(i.operand(element), -1);
        break;
      case HloOpcode::kParameter: {
        for (const HloInstruction* caller : i.parent()->callers()) {
          if (caller->opcode() == HloOpcode::kWhile) Mark(caller, element);
          else if (caller->opcode() == HloOpcode::kCall) Mark(caller->operand(i.parameter_number()), element);
        }
        return;
      }
      case HloOpcode::kCall: return Mark(i.to_apply()->root(), element);  // and through it, the operands that it reads
      case HloOpcode::kWhile:
        Mark(i.while_condition()->root(), -1);
        Mark(i.while_body()->root(), element);
        return Mark(i.operand(0), element);
      case HloOpcode::kConditional:
        for (const HloComputation* branch : i.called_computations()) Mark(branch->root(), element);
        break;
      default: break;  // needs all of its operands
    }
    for (const HloInstruction* operand : i.operands()) Mark(operand, -1);
  }

  // The body hands dead elements on.
  bool HandOnDead(HloInstruction* loop) {
    bool changed = false;
    HloComputation& body = *loop->while_body();
    for (int64_t k = 0; k < loop->shape().tuple_size(); ++k) {
      if (IsPassedThrough(*loop, k) || !loop->shape().tuple_shapes(k).IsArray()) continue;
      if (IsLive(*loop, k) || IsLive(*body.parameter(0), k) || IsLive(*loop->while_condition()->parameter(0), k))
        continue;
      // zero-sized-hlo-elimination would replace reads of it by constants again and again.
      if (loop->shape().tuple_shapes(k).ElementCount() == 0 && NextValue(*loop, k)->IsConstant()) continue;
      if (!Ask(kDeadElement, *loop)) continue;
      HloInstruction *parameter = body.parameter(0), *read = ReadOf(*parameter, k), *old = NextValue(*loop, k);
      if (read == nullptr) {
        read = body.AddGetTupleElement(parameter, k);
        body.MoveBefore(read, parameter->next());
      }
      body.root()->ReplaceOperandWith(k, read);
      gate_.Done(read);
      RemoveIfDead(old);
      changed = true;
    }
    return changed;
  }

  // call(A, B), a function that does not read B => call(A)
  bool DropParameters(HloComputation* computation) {
    if (computation->IsEntry() || computation->callers().empty()) return false;
    for (const HloInstruction* caller : computation->callers()) {
      // A fusion's body reads all of its parameters, so a computation called there keeps its unread ones.
      if (caller->opcode() != HloOpcode::kCall || caller->operand_count() != computation->parameter_count() ||
          caller->parent()->fusion() != nullptr)
        return false;
    }
    bool changed = false;
    for (int64_t k = computation->parameter_count(); k-- > 0;) {
      const HloInstruction* parameter = computation->parameter(k);
      if (parameter->user_count() > 0 || parameter->IsRoot() || parameter->HasControlDependencies()) continue;
      if (!Ask(kDeadParameter, *parameter)) continue;
      computation->RemoveParameter(k);
      for (HloInstruction* caller : computation->callers()) {
        std::vector<HloInstruction*> later(caller->operands().begin() + k + 1, caller->operands().end());
        caller->RemoveOperandsFrom(k);
        for (HloInstruction* operand : later) caller->AppendOperand(operand);
      }
      gate_.Done(nullptr);
      changed = true;
    }
    return changed;
  }

  std::vector<bool> live_;       // of each instruction: as a whole, then by element
  std::vector<size_t> live_at_;  // where, by id
  std::vector<Item> worklist_;
};

}  // namespace

PassDefinition DefineHloModuleDce() { return {MakePassOf<HloModuleDce>, {kDeadElement, kDeadParameter}}; }

}  // namespace hloir
