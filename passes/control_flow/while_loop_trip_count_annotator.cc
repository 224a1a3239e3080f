// while-loop-trip-count-annotator: writes how often a loop runs into its backend_config, as XLA does, for readers and
// tools.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], f32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(10)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   two = s32[] constant(2)
//   next_i = s32[] add(i, two)
//   x = f32[] get-tuple-element(p), index=1
//   next_x = f32[] sine(x)
//   ROOT next = (s32[], f32[]) tuple(next_i, next_x)
// }
//
// ENTRY main {
//   x = f32[] parameter(0)
//   zero = s32[] constant(0)
//   init = (s32[], f32[]) tuple(zero, x)
//   ROOT loop = (s32[], f32[]) while(init), condition=condition, body=body
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], f32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(10)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[]) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   two = s32[] constant(2)
//   next_i = s32[] add(i, two)
//   x = f32[] get-tuple-element(p), index=1
//   next_x = f32[] sine(x)
//   ROOT next = (s32[], f32[]) tuple(next_i, next_x)
// }
//
// ENTRY main {
//   x = f32[] parameter(0)
//   zero = s32[] constant(0)
//   init = (s32[], f32[]) tuple(zero, x)
//   ROOT loop = (s32[], f32[]) while(init), condition=condition, body=body,
//   backend_config={"known_trip_count":{"n":"5"},"known_init_step":{"init":"0","step":"2"},"known_induction_variable":{"tuple_index":"0"}}
// }
// END
//
// Leaves alone: loops that have a backend_config.
#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kAnnotate = {"annotate", "while(A) => while(A), annotated with its trip count"};

class WhileLoopTripCountAnnotator : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kWhile, [this](HloInstruction* loop) {
      if (!loop->extras().backend_config.empty()) return false;
      std::optional<LoopCounter> counter = FindLoopCounter(*loop);
      if (!counter || !Ask(kAnnotate, *loop)) return false;
      auto number = [](int64_t value) { return "\"" + std::to_string(value) + "\""; };
      loop->set_backend_config("{\"known_trip_count\":{\"n\":" + number(counter->trips) +
                               "},\"known_init_step\":{\"init\":" + number(counter->start) +
                               ",\"step\":" + number(counter->step) +
                               "},\"known_induction_variable\":{\"tuple_index\":" + number(counter->element) + "}}");
      gate_.Done(loop);
      return true;
    });
  }
};

}  // namespace

PassDefinition DefineWhileLoopTripCountAnnotator() { return {MakePassOf<WhileLoopTripCountAnnotator>, {kAnnotate}}; }

}  // namespace hloir
