// defuser: replaces fusions by the instructions of their bodies.
//
// BEFORE
// HloModule example
//
// fused {
//   p = f32[8]{0} parameter(0)
//   n = f32[8]{0} negate(p)
//   ROOT e = f32[8]{0} exponential(n)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   ROOT f = f32[8]{0} fusion(x), kind=kLoop, calls=fused
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   n = f32[8]{0} negate(x)
//   ROOT e = f32[8]{0} exponential(n)
// }
// END
//
// Leaves alone: custom fusions, whose config has the meaning; control dependencies.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kTakeApart = {"take-apart", "fusion(A), f => f's instructions on A"};

class Defuser : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : module.PostOrder()) {
      for (HloInstruction* fusion : InstructionsOf(*computation, HloOpcode::kFusion)) {
        if (fusion->HasControlDependencies() || fusion->attributes<FusionAttributes>().kind == FusionKind::kCustom)
          continue;
        if (fusion->fused_computation()->root()->IsParameter() && HasAnnotations(*fusion)) continue;
        if (!Ask(kTakeApart, *fusion)) continue;
        HloComputation* body = fusion->fused_computation();
        HloInstruction* result = InlineBefore(fusion, *body, fusion->operands());
        InheritAnnotations(result, *fusion);
        fusion->ReplaceAllUsesWith(result);
        gate_.Done(result);
        computation->RemoveInstruction(fusion);
        if (body->callers().empty()) module.RemoveComputation(body);
        changed = true;
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineDefuser() { return {MakePassOf<Defuser>, {kTakeApart}}; }

}  // namespace hloir
