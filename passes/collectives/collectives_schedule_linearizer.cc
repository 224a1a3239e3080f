// collectives-schedule-linearizer: collectives wait for one another, so that all devices come to them in
// one order.
//
// BEFORE
// HloModule example, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   a = s32[8]{0} all-reduce(x), replica_groups={{0,1}}, to_apply=add
//   y = s32[8]{0} parameter(1)
//   b = s32[8]{0} all-reduce(y), replica_groups={{0,1}}, to_apply=add
//   ROOT both = (s32[8]{0}, s32[8]{0}) tuple(a, b)
// }
// AFTER
// HloModule example, replica_count=2
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   a = s32[8]{0} all-reduce(x), replica_groups={{0,1}}, to_apply=add
//   y = s32[8]{0} parameter(1)
//   b = s32[8]{0} all-reduce(y), replica_groups={{0,1}}, to_apply=add, control-predecessors={a}
//   ROOT both = (s32[8]{0}, s32[8]{0}) tuple(a, b)
// }
// END
//
// The order is that of the text. Of a start and a done, the done is waited for. Leaves alone: collectives that wait for
// the one before them already; modules with a schedule, which is an order.
#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kWait = {"wait", "op(A), op(B) => op(B) after op(A)"};

class CollectivesScheduleLinearizer : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().is_scheduled) return false;
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      HloInstruction* before = nullptr;
      for (HloInstruction* i : computation->PostOrder()) {
        if (!i->Is(kCollective)) continue;
        if (before != nullptr && !DependsOn(*i, *before) && Ask(kWait, *i)) {
          before->AddControlDependencyTo(i);
          gate_.Done(i);
          changed = true;
        }
        before = i->Is(kAsyncPart) && i->user_count() == 1 ? i->users()[0] : i;
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineCollectivesScheduleLinearizer() { return {MakePassOf<CollectivesScheduleLinearizer>, {kWait}}; }

}  // namespace hloir
