// hlo-trivial-scheduler: makes the order of the text the schedule of the module.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} negate(x)
// }
// AFTER
// HloModule example, is_scheduled=true
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} negate(x)
// }
// END
//
// Operands first. Leaves alone: scheduled modules. (hlo-memory-scheduler looks for an order that takes less memory.)
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kScheduleInTextOrder = {"schedule", "module => module, is_scheduled=true"};

class HloTrivialScheduler : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().is_scheduled || !Ask(kScheduleInTextOrder, *module.entry_computation()->root())) return false;
    for (HloComputation* computation : module.computations()) {
      for (HloInstruction* i : computation->PostOrder()) computation->MoveBefore(i, nullptr);
    }
    module.config().is_scheduled = true;
    gate_.Done(module.entry_computation()->root());
    return true;
  }
};

}  // namespace

PassDefinition DefineHloTrivialScheduler() { return {MakePassOf<HloTrivialScheduler>, {kScheduleInTextOrder}}; }

}  // namespace hloir
