// control-dep-remover: removes control dependencies, so that other passes may move and remove their instructions.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[] parameter(0)
//   n = f32[] negate(x)
//   e = f32[] exponential(x), control-predecessors={n}
//   ROOT sum = f32[] add(n, e)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[] parameter(0)
//   n = f32[] negate(x)
//   e = f32[] exponential(x)
//   ROOT sum = f32[] add(n, e)
// }
// END
//
// Leaves alone: those between two instructions that have side effects or communicate with other devices, which
// would then happen in another order.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kDropDependency = {"drop-dependency", "B after A => B"};

class ControlDepRemover : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : module.PostOrder()) {
      for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
        const std::vector<HloInstruction*> successors(i->control_successors().begin(), i->control_successors().end());
        for (HloInstruction* successor : successors) {
          if (ActsOutside(*i) && ActsOutside(*successor)) continue;
          if (!Ask(kDropDependency, *successor)) continue;
          i->RemoveControlDependencyTo(successor);
          gate_.Done(successor);
          changed = true;
        }
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineControlDepRemover() { return {MakePassOf<ControlDepRemover>, {kDropDependency}}; }

}  // namespace hloir
