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
// are needed again: so no step ever needs more than before. With max-bytes, where these do not do, whatever has no
// effects: products and fusions, too, and with them up to fifteen operands that are gone by then, if all of that
// together needs less than the peak. The counts are AssignBuffers'; runs take them into account with `hloir run
// --memory-limit`. cse would merge the two again. Leaves alone: modules without a schedule (hlo-memory-scheduler makes
// one); loops, calls, collectives; and without max-bytes what costs more than a simple operation per element (OpCost).
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
constexpr size_t kMostAgain = 16;            // instructions computed again for one value

bool IsCheap(const HloInstruction& i) {
  const OpCost cost = CostClass(i.opcode());
  if ((cost != OpCost::kMoves && cost != OpCost::kCheap) || i.Is(kImpure)) return false;
  if (!i.Is(kElementwise) && i.operand_count() > 1) return false;  // more operands would have to stay
  return i.shape().IsArray() && !i.HasControlDependencies() && i.called_computations().empty();
}

// Whatever it costs, a second run of it gives the same and does nothing else.
bool IsRepeatable(const HloInstruction& i) {
  return !i.Is(kImpure) && !i.Is(kControlFlow) && !i.Is(kCollective) && i.shape().IsArray() &&
         !i.HasControlDependencies() && !i.IsParameter() && !i.IsConstant() && i.opcode() != HloOpcode::kCustomCall;
}

class Rematerialization : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (!module.config().is_scheduled || !gate_.Enabled(kComputeAgain)) return false;
    rewrites_left_ = 2 * module.instruction_count();  // what is computed again may have to be once more, not for ever
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
    if (memory.peak == nullptr || memory.peak_bytes <= max_bytes_ || rewrites_left_ <= 0) return false;
    return LowerPeak(computation, memory, false) || (max_bytes_ > 0 && LowerPeak(computation, memory, true));
  }
  bool LowerPeak(HloComputation& computation, const BufferAssignment::Computation& memory, bool whatever) {
    const std::vector<HloInstruction*> order = computation.instructions();
    std::unordered_map<const HloInstruction*, int64_t> step;
    for (HloInstruction* i : order) step.emplace(i, static_cast<int64_t>(step.size()));
    std::unordered_map<const HloInstruction*, int64_t> last;  // until when its memory is there
    for (const Value& value : memory.values) {
      if (value.index.empty()) last[value.instruction] = value.last;
    }
    const int64_t peak = step.at(memory.peak);
    std::vector<int64_t> in_use;  // at each step
    if (whatever) in_use = BytesInUse(memory, order.size());
    for (int64_t index : memory.live_at_peak) {  // the largest first
      const Value& value = memory.values[static_cast<size_t>(index)];
      if (value.is_result || value.is_scratch || value.bytes == 0 || value.first >= peak ||
          !(whatever ? IsRepeatable(*value.instruction) : IsCheap(*value.instruction)))
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
      HloInstruction* first =
          *std::min_element(later.begin(), later.end(), [&](auto* a, auto* b) { return step.at(a) < step.at(b); });
      // An operand that is read by the copy alone has to be there when that runs; one that the copy shares memory with,
      // until the copy's last use.
      auto is_there = [&](const HloInstruction* operand) {
        if (operand->IsParameter() || operand->IsConstant()) return true;
        const auto found = last.find(operand);
        return found != last.end() && found->second >= until;
      };
      std::vector<HloInstruction*> again;  // operands first
      if (!Collect(old, is_there, whatever ? kMostAgain : 1, again)) continue;
      if (whatever) {
        const int64_t bytes = MostBeside(again);  // the value itself is in use there now, too
        if (bytes > 0 && in_use[static_cast<size_t>(step.at(first))] + bytes >= memory.peak_bytes) continue;
      }
      if (!gate_.Allow(kComputeAgain, *old, Reason(memory, value))) continue;
      std::unordered_map<const HloInstruction*, HloInstruction*> copies;
      HloInstruction* copy = nullptr;
      for (HloInstruction* i : again) {
        std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
        for (HloInstruction*& operand : operands)
          if (auto found = copies.find(operand); found != copies.end()) operand = found->second;
        copy = copies[i] = computation.AddClone(*i, operands);
        computation.MoveBefore(copy, first);
      }
      --rewrites_left_;
      for (HloInstruction* user : later) old->ReplaceUseWith(user, copy);
      gate_.Done(copy);
      RemoveIfDead(old);
      return true;
    }
    return false;
  }

  // The value's instruction, behind those of its operands that are not there, in an order to run in. False: there are
  // more than `most`, or one that cannot run twice.
  template <class IsThere>
  static bool Collect(HloInstruction* value, const IsThere& is_there, size_t most,
                      std::vector<HloInstruction*>& again) {
    std::vector<std::pair<HloInstruction*, int64_t>> path{{value, 0}};  // and which operand is next
    while (!path.empty()) {
      auto& [i, next] = path.back();
      if (next == i->operand_count()) {
        again.push_back(i);
        path.pop_back();
        continue;
      }
      HloInstruction* operand = i->operand(next++);
      if (is_there(operand) || std::find(again.begin(), again.end(), operand) != again.end()) continue;
      if (path.size() + again.size() >= most || !IsRepeatable(*operand)) return false;
      path.emplace_back(operand, 0);
    }
    return true;
  }

  // What these need at once, run one after the other, beside the last one's result.
  static int64_t MostBeside(std::span<HloInstruction* const> again) {
    std::vector<int64_t> in_use(again.size());
    for (size_t i = 0; i + 1 < again.size(); ++i) {
      size_t last = i;
      for (size_t user = i + 1; user < again.size(); ++user) {
        const auto operands = again[user]->operands();
        if (std::find(operands.begin(), operands.end(), again[i]) != operands.end()) last = user;
      }
      for (size_t step = i; step <= last; ++step) in_use[step] += again[i]->shape().ByteSize();
    }
    return *std::max_element(in_use.begin(), in_use.end());
  }

  // Rather too many than too few: what takes another's place counts twice where it does.
  static std::vector<int64_t> BytesInUse(const BufferAssignment::Computation& memory, size_t steps) {
    std::vector<int64_t> bytes(steps + 1);
    for (const Value& value : memory.values) {
      if (value.is_result) continue;
      bytes[static_cast<size_t>(value.first)] += value.bytes;
      bytes[std::min(static_cast<size_t>(value.last) + 1, steps)] -= value.bytes;
    }
    for (size_t i = 1; i <= steps; ++i) bytes[i] += bytes[i - 1];
    return bytes;
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
  int64_t rewrites_left_ = 0;
};

}  // namespace

PassDefinition DefineRematerialization() { return {MakePassOf<Rematerialization>, {kComputeAgain}, {kMaxBytes}}; }

}  // namespace hloir
