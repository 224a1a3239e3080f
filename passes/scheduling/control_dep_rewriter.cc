// control-dep-rewriter: replaces calls of "control_dep" by control dependencies.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   e = f32[4]{0} exponential(x)
//   c = f32[4]{0} cosine(x)
//   first = () custom-call(e, c), custom_call_target="control_dep", custom_call_has_side_effect=true
//   ROOT sum = f32[4]{0} add(e, c)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   e = f32[4]{0} exponential(x)
//   c = f32[4]{0} cosine(x), control-predecessors={e}
//   ROOT sum = f32[4]{0} add(e, c)
// }
// END
//
// Leaves alone: calls with users; a dependency that would close a cycle.
#include "hloir/analysis.h"
#include "hloir/custom_call.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kAddDependency = {"add-dependency", "control_dep(A, B) => B after A"};

class ControlDepRewriter : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : module.PostOrder()) {
      for (HloInstruction* i : InstructionsOf(*computation, HloOpcode::kCustomCall)) {
        if (!IsCustomCall(*i, CustomCall::kControlDep) || i->operand_count() != 2 || i->user_count() > 0 ||
            i->IsRoot() || i->operand(1)->IsParameter()) {
          continue;
        }
        HloInstruction *first = i->operand(0), *second = i->operand(1);
        if (DependsOn(*first, *second) || !Ask(kAddDependency, *i)) continue;
        first->AddControlDependencyTo(second);
        i->DropAllControlDependencies();
        computation->RemoveInstruction(i);
        gate_.Done(second);
        changed = true;
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineControlDepRewriter() { return {MakePassOf<ControlDepRewriter>, {kAddDependency}}; }

}  // namespace hloir
