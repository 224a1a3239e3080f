// despecializer: undoes what a compiler decided for one machine: fusions, control dependencies and the schedule.
//
// BEFORE
// HloModule example, is_scheduled=true
//
// fused {
//   p = f32[8]{0} parameter(0)
//   n = f32[8]{0} negate(p)
//   ROOT e = f32[8]{0} exponential(n)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   s = f32[8]{0} sine(x)
//   f = f32[8]{0} fusion(x), kind=kLoop, calls=fused, control-predecessors={s}
//   ROOT sum = f32[8]{0} add(s, f)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   s = f32[8]{0} sine(x)
//   n = f32[8]{0} negate(x)
//   e = f32[8]{0} exponential(n)
//   ROOT sum = f32[8]{0} add(s, e)
// }
// END
//
// That is hlo-descheduler, control-dep-remover and defuser. Leaves alone: layouts; what those three leave alone.
#include "hloir/rewrite_util.h"

namespace hloir {

std::unique_ptr<HloPass> MakeHloDescheduler(const PassOptions& options);
std::unique_ptr<HloPass> MakeControlDepRemover(const PassOptions& options);
std::unique_ptr<HloPass> MakeDefuser(const PassOptions& options);

namespace {

class Despecializer : public RewritingPass {
 public:
  explicit Despecializer(const PassOptions& options) : RewritingPass("despecializer", options) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (auto make : {MakeHloDescheduler, MakeControlDepRemover, MakeDefuser}) {
      HLOIR_ASSIGN_OR_RETURN(const bool pass_changed, make(options_)->Run(module));
      changed |= pass_changed;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeDespecializer(const PassOptions& options) {
  return std::make_unique<Despecializer>(options);
}

}  // namespace hloir
