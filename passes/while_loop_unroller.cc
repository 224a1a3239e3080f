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
// Not in the default pipeline: it makes more instructions, not fewer. Leaves alone: more than 64 rounds, or 800
// instructions over all of them; side effects; loops within.
#include "loop_util.h"
#include "pass_util.h"

namespace hloir {
namespace {

constexpr int64_t kMostRounds = 64, kMostInstructions = 800;

class WhileLoopUnroller : public RewritingPass {
 public:
  explicit WhileLoopUnroller(const PassOptions& options) : RewritingPass("while-loop-unroller", options) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* loop : InstructionsOf(*computation, HloOpcode::kWhile)) {
        std::optional<LoopCounter> counter = FindLoopCounter(*loop);
        if (!counter || counter->trips > kMostRounds || loop->HasSideEffect()) continue;
        const HloComputation& body = *loop->while_body();
        if (body.instruction_count() * counter->trips > kMostInstructions || !MayBeInlined(body, *computation) ||
            !InstructionsOf(body, HloOpcode::kWhile).empty()) {
          continue;
        }
        if (!Ask("unroll", "while(A), n rounds => body(...body(A))", *loop, MathMode::kExact,
                 std::to_string(counter->trips) + " rounds")) {
          continue;
        }
        HloInstruction* state = loop->operand(0);
        for (int64_t round = 0; round < counter->trips; ++round) state = InlineBefore(loop, body, std::span(&state, 1));
        loop->ReplaceAllUsesWith(state);
        gate_.Done(state);
        RemoveIfDead(loop);
        changed = true;
      }
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeWhileLoopUnroller(const PassOptions& options) {
  return std::make_unique<WhileLoopUnroller>(options);
}

}  // namespace hloir
