// instruction-hoister: moves parameters and constants to the beginning of a schedule.
//
// BEFORE
// HloModule example, is_scheduled=true
//
// ENTRY main {
//   x = f32[] parameter(0)
//   n = f32[] negate(x)
//   one = f32[] constant(1)
//   y = f32[] parameter(1)
//   sum = f32[] add(n, one)
//   ROOT product = f32[] multiply(sum, y)
// }
// AFTER
// HloModule example, is_scheduled=true
//
// ENTRY main {
//   x = f32[] parameter(0)
//   y = f32[] parameter(1)
//   one = f32[] constant(1)
//   n = f32[] negate(x)
//   sum = f32[] add(n, one)
//   ROOT product = f32[] multiply(sum, y)
// }
// END
//
// Leaves alone: modules without a schedule; bodies of fusions; instructions with control predecessors.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kHoist = {"hoist", "A, constant => constant, A"};

class InstructionHoister : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (!module.config().is_scheduled) return false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      std::vector<HloInstruction*> wanted;
      for (HloOpcode opcode : {HloOpcode::kParameter, HloOpcode::kConstant}) {
        for (HloInstruction* i : computation->instructions()) {
          if (i->opcode() == opcode && i->control_predecessors().empty()) wanted.push_back(i);
        }
      }
      HloInstruction* place = computation->first();  // the position at which `i` belongs
      for (HloInstruction* i : wanted) {
        if (i == place) {
          place = place->next();
        } else if (Ask(kHoist, *i)) {
          computation->MoveBefore(i, place);
          gate_.Done(i);
          changed = true;
        }
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineInstructionHoister() { return {MakePassOf<InstructionHoister>, {kHoist}}; }

}  // namespace hloir
