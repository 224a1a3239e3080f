// despecializer: removes a compiler's decisions for one machine: fusions, control dependencies and the schedule.
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
// That is hlo-descheduler, control-dep-remover and defuser. Leaves alone: layouts; the exceptions of those three.
#include "hloir/rewrite_util.h"

namespace hloir {

PassDefinition DefineHloDescheduler();
PassDefinition DefineControlDepRemover();
PassDefinition DefineDefuser();

namespace {

std::vector<PassDefinition> Parts() { return {DefineHloDescheduler(), DefineControlDepRemover(), DefineDefuser()}; }

class Despecializer : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (const PassDefinition& part : Parts()) {
      HLOIR_ASSIGN_OR_RETURN(const bool part_changed, part.make(name_, options_)->Run(module));
      changed |= part_changed;
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineDespecializer() {
  PassDefinition pass{MakePassOf<Despecializer>};
  for (const PassDefinition& part : Parts()) pass.rules.insert(pass.rules.end(), part.rules.begin(), part.rules.end());
  return pass;
}

}  // namespace hloir
