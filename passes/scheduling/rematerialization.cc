// rematerialization: where a schedule has most memory in use, cheap values that wait there for a later use are dropped,
// and computed again before it.
//
// BEFORE
// HloModule example, is_scheduled=true
//
// less {
//   p = f32[] parameter(0)
//   q = f32[] parameter(1)
//   ROOT lt = pred[] compare(p, q), direction=LT
// }
//
// ENTRY main {
//   x = f32[] parameter(0)
//   y = f32[100]{0} parameter(1)
//   wide = f32[100]{0} broadcast(x), dimensions={}
//   a = f32[100]{0} add(y, wide)
//   s = f32[100]{0} sort(a), dimensions={0}, to_apply=less
//   r = f32[100]{0} reverse(s), dimensions={0}
//   m = f32[100]{0} multiply(s, r)
//   ROOT result = f32[100]{0} add(m, wide)
// }
// AFTER
// HloModule example, is_scheduled=true
//
// less {
//   p = f32[] parameter(0)
//   q = f32[] parameter(1)
//   ROOT lt = pred[] compare(p, q), direction=LT
// }
//
// ENTRY main {
//   x = f32[] parameter(0)
//   y = f32[100]{0} parameter(1)
//   wide = f32[100]{0} broadcast(x), dimensions={}
//   a = f32[100]{0} add(y, wide)
//   s = f32[100]{0} sort(a), dimensions={0}, to_apply=less
//   r = f32[100]{0} reverse(s), dimensions={0}
//   m = f32[100]{0} multiply(s, r)
//   wide_again = f32[100]{0} broadcast(x), dimensions={}
//   ROOT result = f32[100]{0} add(m, wide_again)
// }
// END
//
// As long as a computation has more than max-bytes in use at once (`rematerialization{max-bytes=N}`; as few as may be
// without it). Elementwise operations, broadcasts, iotas and data movement, whose operands are there anyway when they
// are needed again: so no step ever needs more than before. The counts are AssignBuffers'. cse would merge the two
// again. Leaves alone: modules without a schedule (hlo-memory-scheduler makes one); fusions, dots, and whatever costs
// more than a simple operation per element (OpCost).
#include <algorithm>
#include <string>
#include <unordered_map>

#include "hloir/analysis/buffer_assignment.h"
#include "hloir/rewrite/util.h"

namespace hloir {
namespace {

constexpr RuleInfo kComputeAgain = {"compute-again", "A, B, f(A) => A, B, A', f(A'), A' = A"};

constexpr NumberOption kMaxBytes = {"max-bytes",
                                    "in use at once in a computation; with that few, nothing is computed again", 0};

constexpr int64_t kMostSteps = 100'000'000;  // over all passes, each of which looks at the whole module

bool IsCheap(const HloInstruction& i) {
  const OpCost cost = CostClass(i.opcode());
  if ((cost != OpCost::kMoves && cost != OpCost::kCheap) || i.Is(kImpure)) return false;
  if (!i.Is(kElementwise) && i.operand_count() > 1) return false;  // more operands would have to stay
  return i.shape().IsArray() && !i.HasControlDependencies() && i.called_computations().empty();
}

class Rematerialization : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (!module.config().is_scheduled || !gate_.Enabled(kComputeAgain)) return false;
    for (int64_t steps = module.instruction_count(); steps < kMostSteps; steps += module.instruction_count()) {
      const BufferAssignment buffers = AssignBuffers(module);
      bool again = false;
      for (const BufferAssignment::Computation& computation : buffers.computations) {
        again |= LowerPeak(*module.FindComputation(computation.computation->name()), computation);
      }
      if (!again) break;
      changed = true;
    }
    return changed;
  }

 private:
  using Value = BufferAssignment::Value;

  // A, B, f(A) => A, B, A', f(A')
  bool LowerPeak(HloComputation& computation, const BufferAssignment::Computation& memory) {
    if (memory.peak == nullptr || memory.peak_bytes <= max_bytes_) return false;
    const std::vector<HloInstruction*> order = computation.instructions();
    std::unordered_map<const HloInstruction*, int64_t> step;
    for (HloInstruction* i : order) step.emplace(i, static_cast<int64_t>(step.size()));
    std::unordered_map<const HloInstruction*, int64_t> last;  // until when its memory is there
    for (const Value& value : memory.values) {
      if (value.index.empty()) last[value.instruction] = value.last;
    }
    const int64_t peak = step.at(memory.peak);
    for (int64_t index : memory.live_at_peak) {  // the largest first
      const Value& value = memory.values[static_cast<size_t>(index)];
      if (value.is_result || value.is_scratch || value.bytes == 0 || value.first >= peak ||
          !IsCheap(*value.instruction))
        continue;
      HloInstruction* old = order[static_cast<size_t>(step.at(value.instruction))];
      if (old->IsRoot()) continue;
      std::vector<HloInstruction*> later;
      bool needed = false;  // at the peak itself
      int64_t until = 0;
      for (HloInstruction* user : old->users()) {
        needed = needed || step.at(user) == peak || !PointsNowhere(*user);
        if (step.at(user) <= peak) continue;
        later.push_back(user);
        until = std::max(until, step.at(user));
      }
      // What is unused before the peak would only move, and two such values would push each other on without end.
      if (needed || later.empty() || later.size() == old->users().size()) continue;
      const bool there =
          std::all_of(old->operands().begin(), old->operands().end(), [&](const HloInstruction* operand) {
            if (operand->IsParameter() || operand->IsConstant()) return true;
            const auto found = last.find(operand);
            return found != last.end() && found->second >= until;
          });
      if (!there) continue;
      if (!gate_.Allow(kComputeAgain, *old, Reason(memory, value))) continue;
      HloInstruction* first =
          *std::min_element(later.begin(), later.end(), [&](auto* a, auto* b) { return step.at(a) < step.at(b); });
      HloInstruction* copy = old->parent()->AddClone(*old, old->operands());
      old->parent()->MoveBefore(copy, first);
      for (HloInstruction* user : later) old->ReplaceUseWith(user, copy);
      gate_.Done(copy);
      RemoveIfDead(old);
      return true;
    }
    return false;
  }

  // Its result has memory of its own; a tuple or bitcast would be read by others at other steps.
  // It makes a value of its own.
  static bool PointsNowhere(const HloInstruction& user) {
    if (user.Is(kAliases)) return user.opcode() == HloOpcode::kGetTupleElement;
    return !user.shape().IsTuple() || !user.Is(kControlFlow);
  }
  std::string Reason(const BufferAssignment::Computation& memory, const Value& value) const {
    if (!gate_.explaining()) return {};
    return std::to_string(value.bytes) + " of " + std::to_string(memory.peak_bytes) + " bytes less at " +
           std::string(memory.peak->name());
  }

  const int64_t max_bytes_ = options_.Get(kMaxBytes);
};

}  // namespace

PassDefinition DefineRematerialization() { return {MakePassOf<Rematerialization>, {kComputeAgain}, {kMaxBytes}}; }

}  // namespace hloir
