// while-loop-unroller: a short loop of known length becomes its rounds, one after the other.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(2)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   x = f32[4]{0} get-tuple-element(p), index=1
//   next_x = f32[4]{0} multiply(x, x)
//   ROOT next = (s32[], f32[4]{0}) tuple(next_i, next_x)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   zero = s32[] constant(0)
//   init = (s32[], f32[4]{0}) tuple(zero, x)
//   loop = (s32[], f32[4]{0}) while(init), condition=condition, body=body
//   ROOT result = f32[4]{0} get-tuple-element(loop), index=1
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(2)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   x = f32[4]{0} get-tuple-element(p), index=1
//   next_x = f32[4]{0} multiply(x, x)
//   ROOT next = (s32[], f32[4]{0}) tuple(next_i, next_x)
// }
//
// ENTRY main {
//   zero = s32[] constant(0)
//   x = f32[4]{0} parameter(0)
//   init = (s32[], f32[4]{0}) tuple(zero, x)
//   i = s32[] get-tuple-element(init), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   y = f32[4]{0} get-tuple-element(init), index=1
//   next_x = f32[4]{0} multiply(y, y)
//   next = (s32[], f32[4]{0}) tuple(next_i, next_x)
//   i2 = s32[] get-tuple-element(next), index=0
//   one2 = s32[] constant(1)
//   next_i2 = s32[] add(i2, one2)
//   z = f32[4]{0} get-tuple-element(next), index=1
//   next_x2 = f32[4]{0} multiply(z, z)
//   next2 = (s32[], f32[4]{0}) tuple(next_i2, next_x2)
//   ROOT result = f32[4]{0} get-tuple-element(next2), index=1
// }
// END
//
// The default pipeline does so with loops of up to 8 rounds that are elementwise (elementwise-only), which fuse into
// one: their state then goes through memory once, not in each round. Others make more instructions, not fewer. With
// while-loop-unroller{factor=4}, a loop that is too long for that has four rounds in each of its own; what does not go
// into fours comes before it. Leaves alone: more than 64 rounds, or 800 instructions over all of them (max-rounds,
// max-instructions); side effects; loops within.
#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

// Nothing in it but what fusion joins into one loop wherever it stands. (Not a concatenation: what it is made of would
// be computed again by each round that reads it.)
bool IsElementwise(const HloComputation& body) {
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (i->Is(kElementwise) && !i->Is(kImpure)) continue;
    switch (i->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kTuple:
      case HloOpcode::kGetTupleElement:
      case HloOpcode::kBroadcast:
      case HloOpcode::kIota:
      case HloOpcode::kReshape:
      case HloOpcode::kSlice: break;
      default: return false;
    }
  }
  return true;
}

class WhileLoopUnroller : public RewritingPass {
 public:
  explicit WhileLoopUnroller(const PassOptions& options) : RewritingPass("while-loop-unroller", options) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* loop : InstructionsOf(*computation, HloOpcode::kWhile)) {
        std::optional<LoopCounter> counter = FindLoopCounter(*loop);
        if (!counter || loop->HasSideEffect()) continue;
        HloComputation& body = *loop->while_body();
        if (!MayBeInlined(body, *computation) || !InstructionsOf(body, HloOpcode::kWhile).empty()) continue;
        const UnrollOptions& limits = options_.unroll;
        if (limits.elementwise_only && !IsElementwise(body)) continue;
        const bool whole =
            counter->trips <= limits.max_rounds && body.instruction_count() * counter->trips <= limits.max_instructions;
        changed |= whole ? Unroll(loop, counter->trips) : UnrollPart(loop, counter->trips);
      }
    }
    return changed;
  }

 private:
  // while(A), n rounds => body(...body(A))
  bool Unroll(HloInstruction* loop, int64_t trips) {
    if (!Ask("unroll", "while(A), n rounds => body(...body(A))", *loop, MathMode::kExact,
             std::to_string(trips) + " rounds"))
      return false;
    HloInstruction* state = loop->operand(0);
    for (int64_t round = 0; round < trips; ++round)
      state = InlineBefore(loop, *loop->while_body(), std::span(&state, 1));
    loop->ReplaceAllUsesWith(state);
    gate_.Done(state);
    RemoveIfDead(loop);
    return true;
  }

  // while(A), n rounds => while(n mod k rounds of A), with k rounds in each; the condition is asked less often, and is
  // true whenever it is asked before the end, as it was.
  bool UnrollPart(HloInstruction* loop, int64_t trips) {
    const int64_t factor = options_.unroll.factor;
    if (factor < 2 || trips < 2 * factor ||
        loop->while_body()->instruction_count() * (2 * factor - 1) > options_.unroll.max_instructions)
      return false;
    if (!Ask("unroll-part", "while(A), n rounds => while(n mod k rounds of A), k rounds in each", *loop,
             MathMode::kExact, std::to_string(trips) + " rounds by " + std::to_string(factor))) {
      return false;
    }
    HloInstruction* state = loop->operand(0);
    for (int64_t round = 0; round < trips % factor; ++round)
      state = InlineBefore(loop, *loop->while_body(), std::span(&state, 1));
    if (state != loop->operand(0)) loop->ReplaceOperandWith(0, state);
    const HloComputation& once = *loop->while_body();
    HloComputation* several = loop->module()->CloneComputation(once);
    HloInstruction* place = several->AddTuple({});
    HloInstruction* end = several->root();
    for (int64_t round = 1; round < factor; ++round) end = InlineBefore(place, once, std::span(&end, 1));
    several->RemoveInstruction(place);
    several->set_root(end);
    loop->set_called_computation(1, several);
    if (!loop->extras().backend_config.empty()) loop->mutable_extras().backend_config = {};  // how often it ran
    gate_.Done(loop);
    return true;
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeWhileLoopUnroller(const PassOptions& options) {
  return std::make_unique<WhileLoopUnroller>(options);
}

}  // namespace hloir
