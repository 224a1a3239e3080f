// while-loop-constant-sinking: a loop-carried constant is put into condition and body
// themselves, where it folds and fuses.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], s32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] get-tuple-element(p), index=1
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], s32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] get-tuple-element(p), index=1
//   twice = s32[] add(i, limit)
//   ROOT next = (s32[], s32[]) tuple(twice, limit)
// }
//
// ENTRY main {
//   i = s32[] parameter(0)
//   ten = s32[] constant(10)
//   init = (s32[], s32[]) tuple(i, ten)
//   ROOT loop = (s32[], s32[]) while(init), condition=condition, body=body
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], s32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   ten = s32[] constant(10)
//   ROOT less = pred[] compare(i, ten), direction=LT
// }
//
// body {
//   p = (s32[], s32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   ten = s32[] constant(10)
//   twice = s32[] add(i, ten)
//   limit = s32[] get-tuple-element(p), index=1
//   ROOT next = (s32[], s32[]) tuple(twice, limit)
// }
//
// ENTRY main {
//   i = s32[] parameter(0)
//   ten = s32[] constant(10)
//   init = (s32[], s32[]) tuple(i, ten)
//   ROOT loop = (s32[], s32[]) while(init), condition=condition, body=body
// }
// END
//
// So do broadcasts of scalar constants. The element itself is while-loop-simplifier's to drop. Leaves alone: constants
// of more than 4096 bytes, which would then be there several times; those whose values the text left out.
#include "hloir/match.h"
#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSinkConstant = {"sink-constant", "while((A, C)), C constant and loop-invariant => C inside"};

constexpr int64_t kMaxSunkBytes = 4096;

// Values that can be made again inside: a constant or a broadcast of one.
bool CanSink(const HloInstruction* value) {
  if (value == nullptr || !IsConstantLike(value) || HasAnnotations(*value)) return false;
  const HloInstruction* constant = value->IsConstant() ? value : value->operand(0);
  return !constant->literal().elided() && constant->shape().IsArray() && constant->shape().ByteSize() <= kMaxSunkBytes;
}

class WhileLoopConstantSinking : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    std::vector<HloComputation*> order = ControlFlowComputations(module);
    // Outer loops first: a value that sinks into them may sink into the inner one too.
    for (size_t at = order.size(); at-- > 0;) {
      for (HloInstruction* loop : InstructionsOf(*order[at], HloOpcode::kWhile)) {
        if (!IsTupleLoop(*loop)) continue;
        for (int64_t k = 0; k < loop->shape().tuple_size(); ++k) {
          HloInstruction* value = InitialValue(*loop, k);
          if (CanSink(value) && IsPassedThrough(*loop, k)) changed |= Sink(loop, k, value);
        }
      }
    }
    return changed;
  }

 private:
  bool Sink(HloInstruction* loop, int64_t element, const HloInstruction* value) {
    bool changed = false;
    for (int64_t which : {0, 1}) {
      if (!IsRead(*loop, which, element)) continue;
      if (!Ask(kSinkConstant, *loop)) continue;
      HloComputation* into = OwnComputation(loop, which);
      HloInstruction* parameter = into->parameter(0);
      std::vector<HloInstruction*> reads(parameter->users().begin(), parameter->users().end());
      HloInstruction* copy = nullptr;
      for (HloInstruction* read : reads) {
        if (read->tuple_index() != element) continue;
        if (copy == nullptr) copy = Copy(*value, into, parameter->next());
        std::vector<HloInstruction*> users(read->users().begin(), read->users().end());
        for (HloInstruction* user : users) {
          if (!IsHandingOn(*loop, which, user)) read->ReplaceUseWith(user, copy);
        }
        if (read->IsRoot()) into->set_root(copy);
        RemoveIfDead(read);
      }
      gate_.Done(copy);
      changed = true;
    }
    return changed;
  }
  // The body's root must return the element unchanged. (It may also return it in other elements.)
  static bool IsHandingOn(const HloInstruction& loop, int64_t which, const HloInstruction* user) {
    return which == 1 && user == loop.while_body()->root();
  }
  static bool IsRead(const HloInstruction& loop, int64_t which, int64_t element) {
    for (const HloInstruction* read : loop.called_computations()[static_cast<size_t>(which)]->parameter(0)->users()) {
      if (read->tuple_index() != element) continue;
      for (const HloInstruction* user : read->users()) {
        if (!IsHandingOn(loop, which, user)) return true;
      }
      if (read->IsRoot()) return true;
    }
    return false;
  }
  static HloInstruction* Copy(const HloInstruction& value, HloComputation* into, HloInstruction* before) {
    std::vector<HloInstruction*> operands;
    if (!value.IsConstant()) {
      operands.push_back(into->AddClone(*value.operand(0), {}));
      into->MoveBefore(operands[0], before);
    }
    HloInstruction* copy = into->AddClone(value, operands);
    into->MoveBefore(copy, before);
    return copy;
  }
};

}  // namespace

PassDefinition DefineWhileLoopConstantSinking() { return {MakePassOf<WhileLoopConstantSinking>, {kSinkConstant}}; }

}  // namespace hloir
