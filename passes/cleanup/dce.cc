// dce: removes dead instructions, and then computations without callers.
//
// BEFORE
// HloModule example
//
// unused {
//   ROOT p = f32[] parameter(0)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   unneeded = f32[4]{0} negate(x)
//   also_unneeded = f32[4]{0} exponential(unneeded)
//   ROOT result = f32[4]{0} add(x, x)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   ROOT result = f32[4]{0} add(x, x)
// }
// END
//
// Leaves alone: parameters, which are a computation's signature; side effects, collectives and halves of async pairs;
// instructions with control dependencies; elements that a while loop only carries along.
#include <algorithm>

#include "hloir/pass.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kDeadComputation = {"dead-computation", "computation without callers => nothing"};
constexpr RuleInfo kDeadInstruction = {"dead-instruction", "A, unused => nothing"};

class Dce : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    const bool instructions = gate_.Enabled(kDeadInstruction);
    // Before the computations are put in order, which in a large module takes longer.
    const auto is_settled = [&](const HloComputation* computation) {
      const bool is_called = computation->IsEntry() || !computation->callers().empty();
      return is_called && !(instructions && computation->HasUnused());
    };
    if (std::all_of(module.computations().begin(), module.computations().end(), is_settled)) return false;
    found_.assign(static_cast<size_t>(module.instruction_id_limit()), false);
    // Callers first, so that the calls of a removed computation are removed with it.
    std::vector<HloComputation*> order = module.PostOrder(), dead;
    for (size_t at = order.size(); at-- > 0;) {
      HloComputation* computation = order[at];
      if (computation != module.entry_computation() && computation->callers().empty()) {
        if (!gate_.Enabled(kDeadComputation)) continue;
        if (!gate_.Allow(kDeadComputation, *computation->root())) continue;
        for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) i->ClearCalledComputations();
        dead.push_back(computation);
        gate_.Done(nullptr);
      } else if (instructions && computation->HasUnused()) {
        changed |= RemoveInstructions(*computation);
      }
    }
    module.RemoveComputations(dead);
    return changed || !dead.empty();
  }

 private:
  bool RemoveInstructions(HloComputation& computation) {
    std::vector<HloInstruction*> worklist;
    for (HloInstruction* i : computation.AllInstructions()) {
      if (IsDead(*i)) worklist.push_back(i);
    }
    bool changed = false;
    while (!worklist.empty()) {
      HloInstruction* dead = worklist.back();
      worklist.pop_back();
      if (!gate_.Allow(kDeadInstruction, *dead)) continue;
      std::vector<HloInstruction*> operands(dead->operands().begin(), dead->operands().end());
      computation.RemoveInstruction(dead);
      gate_.Done(nullptr);
      changed = true;
      for (HloInstruction* operand : operands) {
        // Once, however many operand slots it filled.
        if (found_[static_cast<size_t>(operand->id())] || !IsDead(*operand)) continue;
        found_[static_cast<size_t>(operand->id())] = true;
        worklist.push_back(operand);
      }
    }
    return changed;
  }

  std::vector<bool> found_;  // by id: known to be dead
};

}  // namespace

PassDefinition DefineDce() { return {MakePassOf<Dce>, {kDeadComputation, kDeadInstruction}}; }

}  // namespace hloir
