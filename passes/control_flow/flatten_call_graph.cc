// flatten-call-graph: copies computations so that each has at most one caller among calls, whiles and conditionals.
//
// BEFORE
// HloModule example
//
// square {
//   p = f32[4]{0} parameter(0)
//   ROOT product = f32[4]{0} multiply(p, p)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   once = f32[4]{0} call(x), to_apply=square
//   ROOT twice = f32[4]{0} call(once), to_apply=square
// }
// AFTER
// HloModule example
//
// square {
//   p = f32[4]{0} parameter(0)
//   ROOT product = f32[4]{0} multiply(p, p)
// }
//
// square2 {
//   p = f32[4]{0} parameter(0)
//   ROOT product = f32[4]{0} multiply(p, p)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   once = f32[4]{0} call(x), to_apply=square
//   ROOT twice = f32[4]{0} call(once), to_apply=square2
// }
// END
//
// Not in the default pipeline, whose loop passes copy computations before changing them. Leaves alone: reducers,
// comparators and similar computations, which may be shared; remaining calls after the module has grown a hundredfold.
#include <algorithm>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kCopy = {"copy", "call(A), f; call(B), f => call(A), f; call(B), a copy of f"};

class FlattenCallGraph : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    // Callers before callees: a copy's own calls are looked at after it.
    std::vector<HloComputation*> worklist = ControlFlowComputations(module);
    while (!worklist.empty()) {
      HloComputation* computation = worklist.back();
      worklist.pop_back();
      for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
        if (!i->Is(kControlFlow)) continue;
        const auto& called = i->called_computations();
        for (size_t k = 0; k < called.size(); ++k) {
          const bool again = std::find(called.begin(), called.begin() + static_cast<int64_t>(k), called[k]) !=
                             called.begin() + static_cast<int64_t>(k);
          if (!again && called[k]->callers()[0] == i) continue;  // the first caller keeps the original
          if (!gate_.HasRoom(kCopy, *i, called[k]->instruction_count()) || !Ask(kCopy, *i)) continue;
          worklist.push_back(OwnComputation(i, static_cast<int64_t>(k)));
          gate_.Done(i);
          changed = true;
        }
      }
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineFlattenCallGraph() { return {MakePassOf<FlattenCallGraph>, {kCopy}}; }

}  // namespace hloir
