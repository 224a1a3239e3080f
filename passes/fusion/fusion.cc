// fusion: joins elementwise chains and diamonds, with the broadcasts, reshapes, slices, transposes, gathers and iotas
// inside them, the dot, convolution or reduce-window before them and the reduction or dot after them, into one loop, so
// that intermediate values never go through memory; then joins loops over the same elements that read the same values
// into one with several results.
//
// BEFORE
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[8,4]{1,0} parameter(0)
//   bias = f32[4]{0} parameter(1)
//   wide = f32[8,4]{1,0} broadcast(bias), dimensions={1}
//   shifted = f32[8,4]{1,0} subtract(x, wide)
//   squared = f32[8,4]{1,0} multiply(shifted, shifted)
//   zero = f32[] constant(0)
//   ROOT total = f32[8]{0} reduce(squared, zero), dimensions={1}, to_apply=add
// }
// AFTER
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// fused_computation {
//   param_0 = f32[8,4]{1,0} parameter(0)
//   param_1 = f32[4]{0} parameter(1)
//   wide = f32[8,4]{1,0} broadcast(param_1), dimensions={1}
//   shifted = f32[8,4]{1,0} subtract(param_0, wide)
//   squared = f32[8,4]{1,0} multiply(shifted, shifted)
//   zero = f32[] constant(0)
//   ROOT total = f32[8]{0} reduce(squared, zero), dimensions={1}, to_apply=add
// }
//
// ENTRY main {
//   x = f32[8,4]{1,0} parameter(0)
//   bias = f32[4]{0} parameter(1)
//   ROOT fusion = f32[8]{0} fusion(x, bias), kind=kInput, calls=fused_computation
// }
// END
//
// In this folder: role.h, roles of instructions in a fusion; group.h, the choice of groups and the cost model; build.h,
// bodies; multi_output.h, several results; name.h, softmax and other names. The trace has each decision with its reason
// (`hloir opt --trace`), also negative ones. Leaves alone: reducers, comparators and bodies of fusions; dynamic shapes;
// copies; operands of a convolution, a reduce-window or a dot, unless read by rows; concatenations of many; shardings
// and frontend attributes inside a group; control dependencies.
#include <algorithm>

#include "fusion/build.h"
#include "fusion/group.h"
#include "fusion/multi_output.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace fusion {
namespace {

constexpr RuleInfo kDeadInstruction = {"dead-instruction", "A, unused => nothing"};
constexpr NumberOption kMaxFusedInstructions = {"max-instructions", "instructions in one fusion", 256};
constexpr NumberOption kMaxCopies = {"max-copies", "fusions that may each compute a cheap value again", 4};
constexpr NumberOption kWorkPerByte = {"work-per-byte", "additions that may be done again to save moving a byte", 1};
constexpr FlagOption kFeedProducts = {
    "feed-products", "compute operands of a dot, and move operands of a convolution, as they are packed", false};
constexpr FlagOption kAllowMultiOutput = {"multi-output", "let one loop have several results", true};
constexpr NumberOption kMaxResults = {"max-results", "results of one loop", 8};
constexpr NumberOption kLeastGain = {"least-gain", "percent of two loops' traffic that joining them must save", 20};
constexpr FlagOption kJoinProducts = {"join-products", "let a loop that reads a product's result join it", false};

class Fusion : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    const bool fuse = gate_.Enabled(kFuse);
    const bool multi_output = options_.Get(kAllowMultiOutput) && gate_.Enabled(kMultiOutput);
    Limits limits;
    limits.max_instructions = options_.Get(kMaxFusedInstructions);
    limits.max_copies = options_.Get(kMaxCopies);
    limits.work_per_byte = static_cast<double>(options_.Get(kWorkPerByte));
    limits.feed_products = options_.Get(kFeedProducts);
    limits.max_results = options_.Get(kMaxResults);
    limits.least_gain = static_cast<double>(options_.Get(kLeastGain)) / 100;
    limits.join_products = options_.Get(kJoinProducts);
    Grouper grouper(module, limits, gate_);
    for (HloComputation* computation : InFetchedOrder(ControlFlowComputations(module))) {
      if (Stopped()) break;
      if (fuse) changed |= RemoveDeadCode(*computation);
      // A round can enable the next: a finished group no longer claims its operands' users.
      constexpr int kRounds = 8;
      bool again = fuse;
      for (int round = 0; round < kRounds && again && !Stopped(); ++round) {
        again = RunOn(*computation, grouper);
        changed |= again;
      }
      if (multi_output && !Stopped()) changed |= JoinLoops(*computation, limits, gate_, builder_, positions_);
    }
    builder_.RemoveDeadBodies(module);
    return changed;
  }

 private:
  // A value that dead code reads too would become an unused result of its loop.
  bool RemoveDeadCode(HloComputation& computation) {
    std::vector<HloInstruction*> dead;
    if (!computation.HasUnused()) return false;
    for (HloInstruction* i : computation.AllInstructions()) {
      if (IsDead(*i)) dead.push_back(i);
    }
    bool changed = false;
    for (HloInstruction* i : dead) {
      if (!Ask(kDeadInstruction, *i)) continue;
      RemoveIfDead(i);
      gate_.Done(nullptr);
      changed = true;
    }
    return changed;
  }
  // The rewriter allows nothing more. (Searching for fusions is most of the pass's work.)
  bool Stopped() const { return options_.growth != nullptr && options_.growth->stopped(); }
  bool RunOn(HloComputation& computation, Grouper& grouper);

  FusionBuilder builder_;
  Positions positions_;
};

bool Fusion::RunOn(HloComputation& computation, Grouper& grouper) {
  grouper.Begin(computation);
  const std::vector<HloInstruction*>& order = grouper.order();
  std::vector<bool> gone(order.size(), false);
  bool changed = false;
  for (size_t at = order.size(); at-- > 0;) {
    if (at >= kFetched) Fetch(order[at - kFetched]);
    if (at >= kFetched / 2) __builtin_prefetch(order[at - kFetched / 2]->name().data());
    HloInstruction* root = order[at];
    if (gone[at] || (root->user_count() == 0 && !root->IsRoot())) continue;
    const Role role = grouper.RoleAt(static_cast<int32_t>(at));
    if (role == Role::kNone || role == Role::kScalar) continue;
    if (!gate_.MayAllow(kFuse, *root)) continue;
    const std::vector<Member>& members = grouper.Grow(root);
    const auto joined = std::count_if(members.begin(), members.end(), [&](const Member& m) {
      return grouper.RoleAt(grouper.PositionOf(m.instruction)) != Role::kScalar;
    });
    if (joined < 2) continue;
    if (!gate_.Allow(kFuse, *root, gate_.explaining() ? grouper.Reason() : "")) {
      continue;
    }
    HloInstruction* fusion = builder_.Build(members, root, grouper, /*moves=*/!gate_.explaining());
    gate_.Done(fusion);
    for (size_t k = members.size(); k-- > 0;) {
      HloInstruction* member = members[k].instruction;
      const bool moved = member->parent() != &computation, dead = !moved && IsDead(*member);
      if (members[k].owned || dead) gone[static_cast<size_t>(grouper.PositionOf(member))] = true;
      if (dead) computation.FreeInstruction(member);
    }
    changed = true;
    if (Stopped()) break;
  }
  return changed;
}

}  // namespace
}  // namespace fusion

PassDefinition DefineFusion() {
  return {MakePassOf<fusion::Fusion>,
          {fusion::kDeadInstruction, fusion::kFuse, fusion::kMultiOutput},
          {fusion::kMaxFusedInstructions, fusion::kMaxCopies, fusion::kWorkPerByte, fusion::kFeedProducts,
           fusion::kAllowMultiOutput, fusion::kMaxResults, fusion::kLeastGain, fusion::kJoinProducts}};
}

}  // namespace hloir
