// root-instruction-sinker: moves the root to the end of a schedule.
//
// BEFORE
// HloModule example, is_scheduled=true
//
// ENTRY main {
//   x = f32[] parameter(0)
//   ROOT n = f32[] negate(x)
//   after = token[] after-all()
//   out = token[] outfeed(n, after)
// }
// AFTER
// HloModule example, is_scheduled=true
//
// ENTRY main {
//   x = f32[] parameter(0)
//   n = f32[] negate(x)
//   after = token[] after-all()
//   out = token[] outfeed(n, after)
//   ROOT result = f32[] bitcast(n)
// }
// END
//
// A root without users is moved; others get a new root with the same value: a bitcast, or for a tuple a tuple of its
// elements. Leaves alone: modules without a schedule; bodies of fusions.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSinkRoot = {"sink-root", "A the root, B => B, A' the root"};

class RootInstructionSinker : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (!module.config().is_scheduled) return false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      HloInstruction* root = computation->root();
      if (root == computation->last()) continue;
      const bool waited_for = root->user_count() > 0 || !root->control_successors().empty() || root->IsParameter();
      if (waited_for && !root->shape().IsTuple() && !root->shape().IsArray()) continue;  // a token has no copies
      if (!Ask(kSinkRoot, *root)) continue;
      if (!waited_for) computation->MoveBefore(root, nullptr);
      else AddRoot(root);
      gate_.Done(computation->root());
      changed = true;
    }
    return changed;
  }

 private:
  static void AddRoot(HloInstruction* root) {
    HloComputation& computation = *root->parent();
    HloInstruction* made = nullptr;
    if (root->shape().IsTuple()) {
      std::vector<HloInstruction*> elements;
      for (int64_t k = 0; k < root->shape().tuple_size(); ++k)
        elements.push_back(computation.AddGetTupleElement(root, k));
      made = computation.AddTuple(elements);
    } else {
      made = computation.AddInstruction(HloOpcode::kBitcast, root->shape(), {root});
    }
    InheritAnnotations(made, *root);
    computation.set_root(made);
  }
};

}  // namespace

PassDefinition DefineRootInstructionSinker() { return {MakePassOf<RootInstructionSinker>, {kSinkRoot}}; }

}  // namespace hloir
