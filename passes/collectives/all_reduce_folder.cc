// all-reduce-folder: an all-reduce of an all-reduce becomes one over larger groups.
//
// BEFORE
// HloModule example, replica_count=4
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   rows = s32[8]{0} all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add
//   ROOT all = s32[8]{0} all-reduce(rows), replica_groups={{0,2},{1,3}}, to_apply=add
// }
// AFTER
// HloModule example, entry_computation_layout={(s32[8]{0})->s32[8]{0}}, replica_count=4
//
// add {
//   a = s32[] parameter(0)
//   b = s32[] parameter(1)
//   ROOT sum = s32[] add(a, b)
// }
//
// ENTRY main {
//   x = s32[8]{0} parameter(0)
//   ROOT all = s32[8]{0} all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=add
// }
// END
//
// Only if each device then counts each other one once. Of class rounding for sums of floats. Leaves alone: several
// operands; groups that are not listed; a first result with another user.
#include <algorithm>
#include <map>
#include <set>

#include "hloir/rewrite/rules.h"
#include "hloir/analysis/structural.h"
#include "hloir/rewrite/util.h"

namespace hloir {
namespace {

constexpr RuleInfo kFoldAllReduces = {"fold", "all-reduce(all-reduce(A)) => all-reduce(A), in larger groups",
                                      MathMode::kExact, MathMode::kRounding};

using Groups = std::vector<std::vector<int64_t>>;

// The groups in which two collectives in a row are one; empty if they are not.
Groups Fold(const Groups& first, const Groups& second) {
  std::map<int64_t, const std::vector<int64_t>*> first_of;
  for (const auto& group : first) {
    for (int64_t device : group) first_of[device] = &group;
  }
  std::map<int64_t, std::set<int64_t>> reached;
  for (const auto& group : second) {
    std::set<int64_t> all;
    size_t count = 0;
    for (int64_t device : group) {
      if (!first_of.contains(device)) return {};
      all.insert(first_of[device]->begin(), first_of[device]->end());
      count += first_of[device]->size();
    }
    if (all.size() != count) return {};
    for (int64_t device : group) reached[device] = all;
  }
  std::set<std::set<int64_t>> folded;
  for (const auto& [device, all] : reached) {
    for (int64_t other : all) {
      if (!reached.contains(other) || reached[other] != all) return {};
    }
    folded.insert(all);
  }
  Groups result;
  for (const std::set<int64_t>& group : folded) result.emplace_back(group.begin(), group.end());
  return result;
}

class AllReduceFolder : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* second : InstructionsOf(*computation, HloOpcode::kAllReduce)) {
        while (FoldInto(second)) changed = true;
      }
    }
    return changed;
  }

 private:
  static bool IsPlain(const HloInstruction& i) {
    return i.opcode() == HloOpcode::kAllReduce && i.operand_count() == 1 && !i.HasControlDependencies() &&
           !HasAnnotations(i);
  }
  bool FoldInto(HloInstruction* second) {
    if (!IsPlain(*second) || !IsPlain(*second->operand(0))) return false;
    HloInstruction* first = second->operand(0);
    AllReduceAttributes a = first->attributes<AllReduceAttributes>(), b = second->attributes<AllReduceAttributes>();
    const std::optional<HloOpcode> op = rules::BinaryReducer(second->to_apply());
    const bool listed =
        a.replica_groups.form != ReplicaGroups::Form::kMesh && b.replica_groups.form != ReplicaGroups::Form::kMesh;
    if (first->user_count() != 1 || first->IsRoot() || !op || !HasTrait(*op, kAssociative) || !listed ||
        a.channel_id.has_value() != b.channel_id.has_value() || a.use_global_device_ids != b.use_global_device_ids ||
        a.constrain_layout || b.constrain_layout || !(first->shape() == second->shape()) ||
        !StructurallyEqual(*first->to_apply(), *second->to_apply())) {
      return false;
    }
    const Groups groups = Fold(a.replica_groups.Expand(), b.replica_groups.Expand());
    if (groups.empty()) return false;
    const PrimitiveType type = second->shape().element_type();
    const bool rounds = (IsFloat(type) || IsComplex(type)) && (*op == HloOpcode::kAdd || *op == HloOpcode::kMultiply);
    if (!Ask(kFoldAllReduces, rounds ? MathMode::kRounding : MathMode::kExact, *second)) {
      return false;
    }
    ReplicaGroups folded;
    folded.groups = groups;
    second->mutable_attributes<AllReduceAttributes>().replica_groups = folded;
    second->ReplaceOperandWith(0, first->operand(0));
    second->MergeMetadataOf(*first);
    first->parent()->RemoveInstruction(first);
    gate_.Done(second);
    return true;
  }
};

}  // namespace

PassDefinition DefineAllReduceFolder() { return {MakePassOf<AllReduceFolder>, {kFoldAllReduces}}; }

}  // namespace hloir
