// while-loop-unroller: unrolls short loops of known trip count.
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
// The default pipeline unrolls elementwise loops (elementwise-only) of up to 8 iterations, which fuse into one loop
// over elements, so that their state goes through memory once instead of once per iteration. Other loops would only
// grow. With while-loop-unroller{factor=4}, longer loops get four iterations in one; the remaining iterations run
// before. Leaves alone: more than 64 iterations, or 800 instructions over all of them (max-rounds, max-instructions);
// side effects; loops within.
#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kUnroll = {"unroll", "while(A), n iterations => body(...body(A))"};
constexpr RuleInfo kUnrollPart = {"unroll-part",
                                  "while(A), n iterations => while(n mod k iterations of A), k iterations in each"};

// A body of instructions that fusion joins into one loop anywhere. (Not a concatenation: each iteration that reads it
// would compute its operands again.)
bool IsElementwise(const HloComputation& body) {
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (i->Is(kElementwise) && !i->Is(kImpure)) continue;
    if (!IsOneOf(i->opcode(), HloOpcode::kParameter, HloOpcode::kConstant, HloOpcode::kTuple,
                 HloOpcode::kGetTupleElement, HloOpcode::kBroadcast, HloOpcode::kIota, HloOpcode::kReshape,
                 HloOpcode::kSlice))
      return false;
  }
  return true;
}

constexpr FlagOption kElementwiseOnly = {"elementwise-only", "unroll only loops whose iterations then fuse into one",
                                         false};
constexpr NumberOption kFactor = {"factor", "iterations of a longer loop that become one; 1 leaves longer loops alone",
                                  1};
constexpr NumberOption kMaxInstructions = {"max-instructions", "over all unrolled iterations", 800};
constexpr NumberOption kMaxRounds = {"max-rounds", "iterations of a loop that is unrolled completely", 64};

class WhileLoopUnroller : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kWhile, [this](HloInstruction* loop) {
      std::optional<LoopCounter> counter = FindLoopCounter(*loop);
      if (!counter) return false;
      HloComputation& body = *loop->while_body();
      // Cheap tests first: as many loops as the module has instructions may share a large body.
      if (body.instruction_count() * std::min(counter->trips, 2 * factor_ - 1) > max_instructions_) return false;
      if (!MayBeUnrolled(*loop) || !MayBeInlined(body, *loop->parent()) ||
          !InstructionsOf(body, HloOpcode::kWhile).empty())
        return false;
      if (elementwise_only_ && !IsElementwise(body)) return false;
      const bool whole =
          counter->trips <= max_rounds_ && body.instruction_count() * counter->trips <= max_instructions_;
      return whole ? Unroll(loop, counter->trips) : UnrollPart(loop, counter->trips);
    });
  }

 private:
  // while(A), n iterations => body(...body(A))
  bool Unroll(HloInstruction* loop, int64_t trips) {
    if (!gate_.HasRoom(kUnroll, *loop, trips * loop->while_body()->instruction_count())) return false;
    if (!Ask(kUnroll, *loop, std::to_string(trips) + " iterations")) return false;
    HloInstruction* state = loop->operand(0);
    for (int64_t round = 0; round < trips; ++round)
      state = InlineBefore(loop, *loop->while_body(), std::span(&state, 1));
    loop->ReplaceAllUsesWith(state);
    gate_.Done(state);
    loop->parent()->RemoveInstructionAndUnusedOperands(loop);
    return true;
  }

  // while(A), n iterations => while(n mod k iterations of A), with k iterations in each; the condition runs less often,
  // and is true for the skipped iterations.
  bool UnrollPart(HloInstruction* loop, int64_t trips) {
    const int64_t factor = factor_;
    if (factor < 2 || trips < 2 * factor ||
        loop->while_body()->instruction_count() * (2 * factor - 1) > max_instructions_)
      return false;
    if (!Ask(kUnrollPart, *loop, std::to_string(trips) + " iterations by " + std::to_string(factor))) {
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
    loop->set_backend_config({});  // how often it ran
    gate_.Done(loop);
    return true;
  }

  const int64_t max_rounds_ = options_.Get(kMaxRounds), factor_ = options_.Get(kFactor);
  const int64_t max_instructions_ = options_.Get(kMaxInstructions);
  const bool elementwise_only_ = options_.Get(kElementwiseOnly);
};

}  // namespace

PassDefinition DefineWhileLoopUnroller() {
  return {
      MakePassOf<WhileLoopUnroller>, {kUnroll, kUnrollPart}, {kElementwiseOnly, kFactor, kMaxInstructions, kMaxRounds}};
}

}  // namespace hloir
