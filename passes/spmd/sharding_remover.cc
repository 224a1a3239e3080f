// sharding-remover: removes annotations of shardings, for a single device.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   cut = f32[4]{0} custom-call(x), custom_call_target="Sharding", sharding={replicated}
//   ROOT y = f32[4]{0} negate(cut)
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
// Leaves alone: modules for several devices, whose annotations spmd-partitioning reads; shardings that are attributes.
#include "hloir/custom_call.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kRemove = {"remove", "Sharding(A) => A; the same of SPMDFullToShardShape and its kin"};

class ShardingRemover : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().num_partitions > 1) return false;
    bool changed = false;
    for (HloComputation* computation : module.computations()) {
      if (!computation->MayHave(HloOpcode::kCustomCall)) continue;
      for (HloInstruction* call : InstructionsOf(*computation, HloOpcode::kCustomCall)) {
        if (!IsShardingAnnotation(*call) || call->HasControlDependencies()) continue;
        if (!Ask(kRemove, *call)) continue;
        const bool single = call->operand_count() == 1 && call->shape().Compatible(call->operand(0)->shape());
        HloInstruction* value = single ? call->operand(0) : computation->AddTuple(call->operands());
        call->ReplaceAllUsesWith(value);
        gate_.Done(value);
        computation->RemoveInstruction(call);
        changed = true;
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineShardingRemover() { return {MakePassOf<ShardingRemover>, {kRemove}}; }

}  // namespace hloir
