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

class HloDescheduler : public RewritingPass {
 public:
  explicit HloDescheduler(const PassOptions& options) : RewritingPass("hlo-descheduler", options) {}

  StatusOr<bool> Run(HloModule& module) override {
    if (!module.config().is_scheduled ||
        !Ask("free-order", "module, is_scheduled=true => module", *module.entry_computation()->root()))
      return false;
    module.config().is_scheduled = false;
    gate_.Done(module.entry_computation()->root());
    return true;
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeHloDescheduler(const PassOptions& options) {
  return std::make_unique<HloDescheduler>(options);
}

}  // namespace hloir
