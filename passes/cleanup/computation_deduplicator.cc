// computation-deduplicator: keeps one of several equal computations.
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
// plus {
//   p = f32[] parameter(0)
//   q = f32[] parameter(1)
//   ROOT r = f32[] add(p, q)
// }
//
// ENTRY main {
//   x = f32[4,3]{1,0} parameter(0)
//   zero = f32[] constant(0)
//   rows = f32[4]{0} reduce(x, zero), dimensions={1}, to_apply=add
//   ROOT all = f32[] reduce(rows, zero), dimensions={0}, to_apply=plus
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
// ENTRY main {
//   x = f32[4,3]{1,0} parameter(0)
//   zero = f32[] constant(0)
//   rows = f32[4]{0} reduce(x, zero), dimensions={1}, to_apply=add
//   ROOT all = f32[] reduce(rows, zero), dimensions={0}, to_apply=add
// }
// END
//
// Leaves alone: bodies of fusions and async operations, which belong to one caller; computations of loops and
// conditionals: in XLA's text order a condition that an inner loop shares would follow that loop, and could not be read
// back; computations for another thread.
#include <unordered_map>

#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kMergeComputations = {"merge", "f, f again => f"};

class ComputationDeduplicator : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    std::vector<HloComputation*> merged;
    std::vector<uint64_t> hashes(static_cast<size_t>(module.computation_id_limit()), 0);  // by id
    std::unordered_map<uint64_t, std::vector<HloComputation*>> seen;
    // Callees first: after that, computations that differed only in equal callees are equal.
    for (HloComputation* computation : InFetchedOrder(module.PostOrder())) {
      if (computation->callers().empty()) continue;
      const uint64_t hash = hashes[static_cast<size_t>(computation->id())] = Hash(*computation, hashes);
      if (computation->IsEntry() || !MayMerge(*computation)) continue;
      std::vector<HloComputation*>& candidates = seen[hash];
      HloComputation* same = nullptr;
      for (HloComputation* candidate : candidates) {
        if (candidate->execution_thread() == computation->execution_thread() &&
            StructurallyEqual(*candidate, *computation)) {
          same = candidate;
          break;
        }
      }
      if (same == nullptr) {
        candidates.push_back(computation);
        continue;
      }
      if (!Ask(kMergeComputations, *computation->root())) continue;
      const std::vector<HloInstruction*> callers(computation->callers().begin(), computation->callers().end());
      for (HloInstruction* caller : callers) {
        for (size_t k = 0; k < caller->called_computations().size(); ++k) {
          if (caller->called_computations()[k] == computation)
            caller->set_called_computation(static_cast<int64_t>(k), same);
        }
      }
      gate_.Done(same->root());
      merged.push_back(computation);
    }
    module.RemoveComputations(merged);
    return !merged.empty();
  }

 private:
  static bool MayMerge(const HloComputation& computation) {
    for (const HloInstruction* caller : computation.callers()) {
      if (caller->called_computations().size() != 1) return false;
    }
    return !IsWrapped(computation);
  }

  // A hash of its instructions, in any order, and of its callees.
  static uint64_t Hash(const HloComputation& computation, const std::vector<uint64_t>& hashes) {
    uint64_t hash = static_cast<uint64_t>(computation.parameter_count());
    for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
      uint64_t own = StructuralHash(*i);
      for (const HloComputation* called : i->called_computations())
        own = MixHash(own, hashes[static_cast<size_t>(called->id())]);
      hash += MixHash(own, 0);  // unmixed, two equal calls in each of 64 functions shift all bits out
    }
    return hash;
  }
};

}  // namespace

PassDefinition DefineComputationDeduplicator() { return {MakePassOf<ComputationDeduplicator>, {kMergeComputations}}; }

}  // namespace hloir
