// hlo-descheduler: the order of instructions is free again.
//
// BEFORE
// HloModule example, is_scheduled=true
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} negate(x)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT y = f32[4]{0} negate(x)
// }
// END
//
// Undoes the schedulers. Leaves alone: modules that are not scheduled.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kFreeOrder = {"free-order", "module, is_scheduled=true => module"};

class HloDescheduler : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (!module.config().is_scheduled || !Ask(kFreeOrder, *module.entry_computation()->root())) return false;
    module.config().is_scheduled = false;
    gate_.Done(module.entry_computation()->root());
    return true;
  }
};

}  // namespace

PassDefinition DefineHloDescheduler() { return {MakePassOf<HloDescheduler>, {kFreeOrder}}; }

}  // namespace hloir
