// while-loop-invariant-code-motion: hoists loop-invariant code out of loops.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(10)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   sum = f32[4]{0} get-tuple-element(p), index=1
//   x = f32[4]{0} get-tuple-element(p), index=2
//   e = f32[4]{0} exponential(x)
//   next_sum = f32[4]{0} add(sum, e)
//   ROOT next = (s32[], f32[4]{0}, f32[4]{0}) tuple(next_i, next_sum, x)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   zero = s32[] constant(0)
//   init = (s32[], f32[4]{0}, f32[4]{0}) tuple(zero, x, x)
//   loop = (s32[], f32[4]{0}, f32[4]{0}) while(init), condition=condition, body=body
//   ROOT sum = f32[4]{0} get-tuple-element(loop), index=1
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}, f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(10)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}, f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   sum = f32[4]{0} get-tuple-element(p), index=1
//   e = f32[4]{0} get-tuple-element(p), index=3
//   next_sum = f32[4]{0} add(sum, e)
//   x = f32[4]{0} get-tuple-element(p), index=2
//   ROOT next = (s32[], f32[4]{0}, f32[4]{0}, f32[4]{0}) tuple(next_i, next_sum, x, e)
// }
//
// ENTRY main {
//   zero = s32[] constant(0)
//   x = f32[4]{0} parameter(0)
//   e = f32[4]{0} exponential(x)
//   init = (s32[], f32[4]{0}, f32[4]{0}, f32[4]{0}) tuple(zero, x, x, e)
//   loop = (s32[], f32[4]{0}, f32[4]{0}, f32[4]{0}) while(init), condition=condition, body=body
//   ROOT sum = f32[4]{0} get-tuple-element(loop), index=1
// }
// END
//
// Constants, broadcasts, iotas, reshapes, slices and tuples move only with their users: as carried elements they would
// cost memory, and in a fused body they are free. A collective moves whatever its size, because all its devices enter
// the loop together, and then exchange the same values once rather than in each iteration. Leaves alone: random
// numbers, side effects, asynchronous collectives, barriers, custom-calls; values much larger than all their operands;
// loops that run at most once.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kMoveOutOfLoop = {"move-out", "while(A), f(invariant) in the body => f before the loop"};

// Too cheap to become a loop-carried element.
bool IsFree(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kParameter, HloOpcode::kConstant, HloOpcode::kBroadcast, HloOpcode::kIota,
                 HloOpcode::kReshape, HloOpcode::kBitcast, HloOpcode::kSlice, HloOpcode::kTuple,
                 HloOpcode::kGetTupleElement, HloOpcode::kPartitionId, HloOpcode::kReplicaId);
}

// Expensive enough to become a loop-carried element.
bool IsWorthMoving(const HloInstruction& i) {
  if (IsFree(i.opcode()) || !i.shape().IsArray()) return false;
  if (i.Is(kCollective)) return true;
  if (i.opcode() == HloOpcode::kFusion) {  // no larger than its operands
    bool all_free = true;
    for (const HloInstruction* at = i.fused_computation()->first(); at != nullptr; at = at->next())
      all_free &= IsFree(at->opcode());
    if (all_free) return false;
  }
  constexpr int64_t kSmall = 4096, kGrowth = 4;
  int64_t largest = 0;
  for (const HloInstruction* operand : i.operands()) largest = std::max(largest, operand->shape().ByteSize());
  return i.shape().ByteSize() <= std::max(kSmall, largest * kGrowth);
}

bool MayMove(const HloInstruction& i) {
  if (i.IsParameter() || i.IsRoot() || i.Is(kImpure | kControlFlow | kSideEffect | kAsyncPart) || HasAnnotations(i) ||
      i.HasControlDependencies() || (!i.Is(kCollective) && ActsOutside(i)))
    return false;
  if (IsOneOf(i.opcode(), HloOpcode::kCustomCall, HloOpcode::kOptimizationBarrier, HloOpcode::kDomain,
              HloOpcode::kAddDependency, HloOpcode::kAfterAll))
    return false;
  for (const HloComputation* called : i.called_computations()) {
    for (const HloInstruction* at = called->first(); at != nullptr; at = at->next()) {
      if (at->Is(kImpure | kCollective | kControlFlow) || at->opcode() == HloOpcode::kCustomCall) return false;
    }
  }
  return true;
}

class WhileLoopInvariantCodeMotion : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    // Inner loops first: an instruction that leaves them may leave the outer one too.
    return ForEach(module, HloOpcode::kWhile,
                   [this](HloInstruction* loop) { return IsTupleLoop(*loop) && RunOn(loop); });
  }

 private:
  bool RunOn(HloInstruction* loop) {
    // Loop-invariant, in the body's post-order; those worth it that a changing instruction reads are to move.
    std::vector<HloInstruction*> order = loop->while_body()->PostOrder();
    std::unordered_map<const HloInstruction*, bool> invariant;
    for (const HloInstruction* i : order) {
      bool same = MayMove(*i);
      if (const int64_t element = ElementRead(*i); element >= 0) {
        same = IsPassedThrough(*loop, element);
      } else {
        for (const HloInstruction* operand : i->operands()) same = same && invariant[operand];
      }
      invariant[i] = same;
    }
    // Read by variant instructions, also through instructions that do not move alone.
    std::unordered_map<const HloInstruction*, bool> needed;
    for (size_t at = order.size(); at-- > 0;) {
      for (const HloInstruction* user : order[at]->users()) {
        needed[order[at]] |= !invariant[user] || (!IsWorthMoving(*user) && needed[user]);
      }
    }
    std::vector<HloInstruction*> to_move;
    for (HloInstruction* i : order) {
      if (invariant[i] && needed[i] && ElementRead(*i) < 0 && IsWorthMoving(*i)) to_move.push_back(i);
    }
    if (to_move.empty()) return false;
    if (std::optional<LoopCounter> counter = FindLoopCounter(*loop); counter && counter->trips <= 1) return false;
    bool changed = false;
    std::unordered_map<std::string, HloInstruction*> outside;  // by the name in the body, which a copy of it shares
    for (HloInstruction* i : to_move) {
      if (!Ask(kMoveOutOfLoop, *i)) continue;
      const std::string name(i->name());
      OwnLoopComputations(loop);
      i = i->parent() == loop->while_body() ? i : loop->while_body()->FindInstruction(name);
      HloInstruction* before = MakeOutside(loop, i, outside);
      HloInstruction* read = AddLoopElement(loop, before);
      i->ReplaceAllUsesWith(read);
      gate_.Done(read);
      i->parent()->RemoveInstructionAndUnusedOperands(i);
      read->set_name(name);
      changed = true;
    }
    RemoveCopied(*loop->while_body(), outside);
    return changed;
  }

  // Collectives that only moved instructions read, which are never dead by themselves.
  static void RemoveCopied(HloComputation& body, const std::unordered_map<std::string, HloInstruction*>& outside) {
    for (bool changed = true; changed;) {
      changed = false;
      for (HloInstruction* i : body.instructions()) {
        if (i->Is(kCollective) && i->user_count() == 0 && !i->IsRoot() && outside.contains(std::string(i->name()))) {
          body.RemoveInstructionAndUnusedOperands(i);
          changed = true;
          break;
        }
      }
    }
  }

  // A copy of `i` and of all that it needs before the loop.
  static HloInstruction* MakeOutside(HloInstruction* loop, HloInstruction* i,
                                     std::unordered_map<std::string, HloInstruction*>& outside) {
    std::vector<HloInstruction*> stack{i};
    while (!stack.empty()) {
      HloInstruction* top = stack.back();
      HloInstruction*& copy = outside[std::string(top->name())];
      if (copy == nullptr) {
        std::vector<HloInstruction*> operands;
        if (const int64_t element = ElementRead(*top); element >= 0) {
          copy = InitialValue(*loop, element);
          if (copy == nullptr) {
            copy = loop->parent()->AddGetTupleElement(loop->operand(0), element);
            loop->parent()->MoveBefore(copy, loop);
          }
        } else {
          for (HloInstruction* operand : top->operands()) {
            HloInstruction* made = outside[std::string(operand->name())];
            if (made == nullptr) stack.push_back(operand);
            operands.push_back(made);
          }
          if (stack.back() != top) continue;
          HloInstruction* made = loop->parent()->AddClone(*top, operands);
          outside[std::string(top->name())] = made;
          loop->parent()->MoveBefore(made, loop);
        }
      }
      stack.pop_back();
    }
    return outside[std::string(i->name())];
  }
};

}  // namespace

PassDefinition DefineWhileLoopInvariantCodeMotion() {
  return {MakePassOf<WhileLoopInvariantCodeMotion>, {kMoveOutOfLoop}};
}

}  // namespace hloir
