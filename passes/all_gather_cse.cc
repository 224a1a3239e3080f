// all-gather-cse: what was gathered from the devices once need not be gathered again.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   a = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   b = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT both = (f32[16]{0}, f32[16]{0}) tuple(a, b)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   a = f32[16]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   ROOT both = (f32[16]{0}, f32[16]{0}) tuple(a, a)
// }
// END
//
// Leaves alone: other groups or dimensions; control dependencies, shardings. (cse leaves all exchanges alone, for a device that
// comes to one must not wait for others in vain; here all devices run the same module, and skip the same one.)
#include <unordered_map>

#include "exchanges.h"
#include "pass_util.h"

namespace hloir {
namespace {

class AllGatherCse : public RewritingPass {
 public:
  explicit AllGatherCse(const PassOptions& options) : RewritingPass("all-gather-cse", options) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      std::unordered_map<const HloInstruction*, std::vector<HloInstruction*>> seen;  // by operand
      for (HloInstruction* gather : InstructionsOf(*computation, HloOpcode::kAllGather)) {
        if (gather->operand_count() != 1 || gather->HasControlDependencies() || HasAnnotations(*gather)) continue;
        std::vector<HloInstruction*>& earlier = seen[gather->operand(0)];
        HloInstruction* same = nullptr;
        for (HloInstruction* candidate : earlier) {
          if (candidate->shape() == gather->shape() && SameExchange(*candidate, *gather)) same = candidate;
        }
        if (same == nullptr || !Ask("merge", "all-gather(A), all-gather(A) => all-gather(A)", *gather)) {
          earlier.push_back(gather);
          continue;
        }
        gather->ReplaceAllUsesWith(same);
        gate_.Done(same);
        computation->RemoveInstruction(gather);
        changed = true;
      }
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeAllGatherCse(const PassOptions& options) { return std::make_unique<AllGatherCse>(options); }

}  // namespace hloir
