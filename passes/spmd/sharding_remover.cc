// sharding-remover: what annotates shardings goes, where there is but one device.
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
#include <algorithm>
#include <string_view>

#include "hloir/rewrite/util.h"

namespace hloir {
namespace {

constexpr RuleInfo kRemove = {"remove", "Sharding(A) => A; the same of SPMDFullToShardShape and its kin"};

constexpr std::string_view kTargets[] = {"Sharding",
                                         "SPMDFullToShardShape",
                                         "SPMDShardToFullShape",
                                         "xla.sdy.FuncResultSharding",
                                         "xla.sdy.PropagationBarrier",
                                         "xla.sdy.GlobalToLocalShape",
                                         "xla.sdy.LocalToGlobalShape"};

class ShardingRemover : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().num_partitions > 1) return false;
    bool changed = false;
    for (HloComputation* computation : module.computations()) {
      if (!computation->MayHave(HloOpcode::kCustomCall)) continue;
      for (HloInstruction* call : InstructionsOf(*computation, HloOpcode::kCustomCall)) {
        const std::string_view target = call->attributes<CustomCallAttributes>().custom_call_target;
        if (std::find(std::begin(kTargets), std::end(kTargets), target) == std::end(kTargets)) continue;
        if (call->HasControlDependencies()) continue;
        const bool single = call->operand_count() == 1 && call->shape().Compatible(call->operand(0)->shape());
        if (!single && !IsTupleOfOperands(*call)) continue;
        if (!Ask(kRemove, *call)) continue;
        HloInstruction* value = call->operand_count() == 1 ? call->operand(0) : nullptr;
        if (!single) value = computation->AddTuple(call->operands());
        call->ReplaceAllUsesWith(value);
        gate_.Done(value);
        computation->RemoveInstruction(call);
        changed = true;
      }
    }
    return changed;
  }

 private:
  static bool IsTupleOfOperands(const HloInstruction& call) {
    if (!call.shape().IsTuple() || call.shape().tuple_size() != call.operand_count()) return false;
    for (int64_t k = 0; k < call.operand_count(); ++k) {
      if (!call.shape().tuple_shapes(k).Compatible(call.operand(k)->shape())) return false;
    }
    return true;
  }
};

}  // namespace

PassDefinition DefineShardingRemover() { return {MakePassOf<ShardingRemover>, {kRemove}}; }

}  // namespace hloir
