// rematerialization: drops cheap values that are live at a schedule's peak of memory, and computes them again before
// their next use.
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
// without it). Recomputes elementwise operations, broadcasts, iotas and data movement whose operands are live at the
// later use, so that no step needs more memory than before. With max-bytes, if these are not sufficient, any
// instruction without effects, also products and fusions, together with up to fifteen dead operands, if all of that
// needs less than the peak. The counts are AssignBuffers'; runs take them into account with `hloir run --memory-limit`.
// cse would merge the two again. Leaves alone: modules without a schedule (hlo-memory-scheduler makes one); loops,
// calls, collectives; and without max-bytes instructions that cost more than a simple operation per element (OpCost).
#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <unordered_map>

#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kComputeAgain = {"compute-again", "A, B, f(A) => A, B, A', f(A'), A' = A"};

constexpr NumberOption kMemoryLimit = {"max-bytes",
                                       "in use at once in a computation; with that few, nothing is computed again", 0};

constexpr int kMostRounds = 16;    // looks at the whole module
constexpr size_t kMostAgain = 16;  // instructions computed again for one value

bool IsCheapToRecompute(const HloInstruction& i) {
  const OpCost cost = CostClass(i.opcode());
  if ((cost != OpCost::kMoves && cost != OpCost::kCheap) || i.Is(kImpure)) return false;
  if (!i.Is(kElementwise) && i.operand_count() > 1) return false;  // more operands would have to stay
  return i.shape().IsArray() && !i.HasControlDependencies() && i.called_computations().empty();
}

// True if a second execution gives the same result and has no other effect, at any cost.
bool IsRepeatable(const HloInstruction& i) {
  return !i.Is(kImpure) && !i.Is(kControlFlow) && !i.Is(kCollective) && i.shape().IsArray() &&
         !i.HasControlDependencies() && !i.IsParameter() && !i.IsConstant() && i.opcode() != HloOpcode::kCustomCall;
}

// A segment tree over steps: adds a number to all steps of a range, and finds the first largest, in logarithmic time.
// Each node has the sum of the additions to all of its steps, and the largest value below it.
class StepSums {
 public:
  StepSums() = default;
  explicit StepSums(std::span<const int64_t> values) : leaves_(std::bit_ceil(values.size())) {
    most_.resize(2 * leaves_), added_.resize(leaves_);
    std::copy(values.begin(), values.end(), most_.begin() + static_cast<int64_t>(leaves_));
    for (size_t node = leaves_; node-- > 1;) most_[node] = std::max(most_[2 * node], most_[2 * node + 1]);
  }
  void Add(int64_t first, int64_t last, int64_t number) {
    const size_t begin = leaves_ + static_cast<size_t>(first), end = leaves_ + static_cast<size_t>(last) + 1;
    for (size_t l = begin, r = end; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) AddTo(l++, number);
      if (r % 2 == 1) AddTo(--r, number);
    }
    for (size_t leaf : {begin, end - 1}) {
      for (size_t node = leaf / 2; node > 0; node /= 2)
        most_[node] = std::max(most_[2 * node], most_[2 * node + 1]) + added_[node];
    }
  }
  int64_t At(int64_t step) const {
    size_t node = leaves_ + static_cast<size_t>(step);
    int64_t sum = most_[node];
    while ((node /= 2) > 0) sum += added_[node];
    return sum;
  }
  int64_t Most() const { return most_[1]; }
  int64_t FirstMost() const {
    size_t node = 1;
    while (node < leaves_) node = 2 * node + (most_[2 * node] < most_[2 * node + 1]);
    return static_cast<int64_t>(node - leaves_);
  }

 private:
  void AddTo(size_t node, int64_t number) {
    most_[node] += number;
    if (node < leaves_) added_[node] += number;
  }
  size_t leaves_ = 0;
  std::vector<int64_t> most_, added_;  // node 1 is the root, 2 n and 2 n + 1 are below n
};

// A segment tree of ranges of steps, numbered as they are added: finds the first range over a step. Each range is
// stored at the few nodes that cover it.
class StepRanges {
 public:
  explicit StepRanges(size_t steps) : leaves_(std::bit_ceil(steps)), nodes_(2 * leaves_) {}
  void Add(int64_t first, int64_t last, int32_t number) {
    size_t l = leaves_ + static_cast<size_t>(first), r = leaves_ + static_cast<size_t>(last) + 1;
    for (; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) nodes_[l++].numbers.push_back(number);
      if (r % 2 == 1) nodes_[--r].numbers.push_back(number);
    }
    if (static_cast<size_t>(number) >= given_.size()) given_.resize(static_cast<size_t>(number) + 1);
  }
  // The first over that step which was not given yet; -1: there is none.
  int32_t Next(int64_t step) {
    int32_t found = -1;
    for (size_t at = leaves_ + static_cast<size_t>(step); at > 0; at /= 2) {
      Node& node = nodes_[at];
      while (node.next < node.numbers.size() && given_[static_cast<size_t>(node.numbers[node.next])]) ++node.next;
      if (node.next == node.numbers.size()) continue;
      if (found < 0 || node.numbers[node.next] < found) found = node.numbers[node.next];
    }
    if (found >= 0) given_[static_cast<size_t>(found)] = true;
    return found;
  }

 private:
  struct Node {
    std::vector<int32_t> numbers;
    size_t next = 0;
  };
  size_t leaves_;
  std::vector<Node> nodes_;
  std::vector<bool> given_;
};

class Rematerialization : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (!module.config().is_scheduled || !gate_.Enabled(kComputeAgain)) return false;
    rewrites_left_ = 2 * module.instruction_count();  // recomputed values may be recomputed again, up to a limit
    std::vector<HloComputation*> by_id(static_cast<size_t>(module.computation_id_limit()));
    for (HloComputation* computation : module.computations())
      by_id[static_cast<size_t>(computation->id())] = computation;
    // A round changes memory that later rounds count: a caller's scratch, buffers that can now be reused.
    for (int round = 0; round < kMostRounds; ++round) {
      const BufferAssignment buffers = AssignBuffers(module, /*with_offsets=*/false);
      bool again = false;
      for (const BufferAssignment::Computation& computation : buffers.computations) {
        again |= LowerPeaks(*by_id[static_cast<size_t>(computation.computation->id())], computation);
      }
      if (!again) break;
      changed = true;
    }
    return changed;
  }

 private:
  using Value = BufferAssignment::Value;

  // One user of a value, and which copy of it that reads.
  struct Use {
    int64_t step;
    HloInstruction *user, *value;
  };
  // Between two uses, one after the other, in which the value only waits.
  struct Gap {
    size_t after;  // the use at its end
    int64_t bytes;
  };

  // A, B, f(A) => A, B, A', f(A'), as long as that makes the peak lower: the largest value that waits there.
  bool LowerPeaks(HloComputation& computation, const BufferAssignment::Computation& memory) {
    if (memory.peak == nullptr || memory.peak_bytes <= max_bytes_) return false;
    const std::vector<HloInstruction*> order = computation.instructions();
    step_.resize(static_cast<size_t>(computation.module()->instruction_id_limit()));
    last_.resize(step_.size());
    for (size_t k = 0; k < order.size(); ++k) {
      step_[static_cast<size_t>(order[k]->id())] = static_cast<int64_t>(k);
      last_[static_cast<size_t>(order[k]->id())] = -1;
    }
    FindGaps(order, memory);
    if (gaps_.empty()) return false;
    StepRanges cheap(order.size()), all(max_bytes_ > 0 ? order.size() : 0);
    for (size_t g = 0; g < gaps_.size(); ++g) {
      const int64_t from = uses_[gaps_[g].after - 1].step + 1, to = uses_[gaps_[g].after].step - 1;
      if (IsCheapToRecompute(*uses_[gaps_[g].after].value)) cheap.Add(from, to, static_cast<int32_t>(g));
      if (max_bytes_ > 0) all.Add(from, to, static_cast<int32_t>(g));
    }
    in_use_ = BytesInUse(memory, order.size());
    bool changed = false;
    for (bool lower = true; lower && rewrites_left_ > 0 && in_use_.Most() > max_bytes_; changed |= lower) {
      lower = false;
      const int64_t peak = in_use_.FirstMost();
      // A gap that fails now will fail later: an operand is missing.
      while (!lower) {
        const int32_t gap = cheap.Next(peak);
        if (gap < 0) break;
        lower = ComputeAgain(gaps_[static_cast<size_t>(gap)], 1, *order[static_cast<size_t>(peak)]);
      }
      while (!lower && max_bytes_ > 0) {
        const int32_t gap = all.Next(peak);
        if (gap < 0) break;
        lower = ComputeAgain(gaps_[static_cast<size_t>(gap)], kMostAgain, *order[static_cast<size_t>(peak)]);
      }
    }
    return changed;
  }

  // Fills uses_, gaps_ (the largest first) and last_.
  void FindGaps(const std::vector<HloInstruction*>& order, const BufferAssignment::Computation& memory) {
    uses_.clear();
    gaps_.clear();
    for (const Value& value : memory.values) {
      if (value.instruction->IsParameter()) continue;
      // Until when its memory is there.
      if (value.index.empty()) last_[static_cast<size_t>(value.instruction->id())] = value.last;
      HloInstruction* made = order[static_cast<size_t>(step_[static_cast<size_t>(value.instruction->id())])];
      if (value.is_result || value.is_scratch || value.bytes == 0 || made->IsRoot() || made->user_count() < 2 ||
          !(max_bytes_ > 0 ? IsRepeatable(*made) : IsCheapToRecompute(*made)) ||
          !std::all_of(made->users().begin(), made->users().end(), [](auto* user) { return PointsNowhere(*user); }))
        continue;
      const size_t first = uses_.size();
      for (HloInstruction* user : made->users()) uses_.push_back({step_[static_cast<size_t>(user->id())], user, made});
      std::sort(uses_.begin() + static_cast<int64_t>(first), uses_.end(),
                [](const Use& a, const Use& b) { return a.step < b.step; });
      const size_t gaps = gaps_.size();
      for (size_t k = first + 1; k < uses_.size(); ++k)
        if (uses_[k].step > uses_[k - 1].step + 1) gaps_.push_back({k, value.bytes});
      if (gaps_.size() == gaps) uses_.resize(first);
    }
    uses_.push_back({});  // behind the last value's
    std::stable_sort(gaps_.begin(), gaps_.end(), [](const Gap& a, const Gap& b) { return a.bytes > b.bytes; });
  }

  // With up to `most` instructions. False if that cannot be.
  bool ComputeAgain(const Gap& gap, size_t most, const HloInstruction& at_peak) {
    Use& before = uses_[gap.after - 1];
    HloInstruction *old = before.value, *first = uses_[gap.after].user;
    if (uses_[gap.after].value != old) return false;  // done
    size_t end = gap.after;
    while (uses_[end].value == old) ++end;
    const int64_t step = uses_[gap.after].step, until = uses_[end - 1].step;
    // An operand that is read by the copy alone has to be there when that runs; one that the copy shares memory with,
    // until the copy's last use.
    const auto is_there = [&](const HloInstruction* operand) {
      return operand->IsParameter() || operand->IsConstant() || last_[static_cast<size_t>(operand->id())] >= until;
    };
    std::vector<HloInstruction*> again;  // operands first
    if (!Collect(old, is_there, most, again)) return false;
    const int64_t beside = MostBeside(again);  // the value itself is in use there now, too
    if (beside > 0 && in_use_.At(step) + beside >= in_use_.Most()) return false;
    if (!gate_.Allow(kComputeAgain, *old, Reason(gap, at_peak))) return false;
    HloComputation& computation = *old->parent();
    std::unordered_map<const HloInstruction*, HloInstruction*> copies;
    HloInstruction* copy = nullptr;
    for (HloInstruction* i : again) {
      std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
      for (HloInstruction*& operand : operands)
        if (auto found = copies.find(operand); found != copies.end()) operand = found->second;
      copy = copies[i] = computation.AddClone(*i, operands);
      computation.MoveBefore(copy, first);
      last_.resize(static_cast<size_t>(copy->id()) + 1, -1);
    }
    --rewrites_left_;
    for (size_t k = gap.after; k < end; ++k) {
      old->ReplaceUseWith(uses_[k].user, copy);
      uses_[k].value = copy;
    }
    last_[static_cast<size_t>(old->id())] = before.step;
    last_[static_cast<size_t>(copy->id())] = until;
    // The copy runs before the next use, at a step with at least as much memory in use, so it needs no step of its own
    // here.
    in_use_.Add(before.step + 1, step - 1, -gap.bytes);
    in_use_.Add(step, step, beside);
    gate_.Done(copy);
    return true;
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

  // The most memory that these need when they run one after the other, beside the last one's result.
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

  // Its result owns memory and is a new value; a tuple or bitcast would be read by others at other steps.
  static bool PointsNowhere(const HloInstruction& user) {
    if (user.Is(kAliases)) return user.opcode() == HloOpcode::kGetTupleElement;
    return !user.shape().IsTuple() || !user.Is(kControlFlow);
  }
  std::string Reason(const Gap& gap, const HloInstruction& at_peak) const {
    if (!gate_.explaining()) return {};
    return std::to_string(gap.bytes) + " of " + std::to_string(in_use_.Most()) + " bytes less at " +
           std::string(at_peak.name());
  }

  // As in FindPeak of buffer_assignment.cc: for values that share a buffer, the last one.
  static StepSums BytesInUse(const BufferAssignment::Computation& memory, size_t steps) {
    std::vector<bool> taken(memory.values.size(), false);
    for (const Value& value : memory.values)
      if (value.shares >= 0) taken[static_cast<size_t>(value.shares)] = true;
    std::vector<int64_t> change(steps + 1);
    for (size_t v = 0; v < memory.values.size(); ++v) {
      const Value& value = memory.values[v];
      const int64_t last = taken[v] ? value.last - 1 : value.last;
      if (!value.in_heap || last < value.first) continue;
      change[static_cast<size_t>(value.first)] += value.bytes;
      change[static_cast<size_t>(last) + 1] -= value.bytes;
    }
    for (size_t step = 1; step < steps; ++step) change[step] += change[step - 1];
    change.resize(steps);
    return StepSums(change);
  }

  const int64_t max_bytes_ = options_.Get(kMemoryLimit);
  int64_t rewrites_left_ = 0;
  std::vector<int64_t> step_, last_;  // by id, of the computation at hand: its place; when it is read last, or -1
  std::vector<Use> uses_;             // of one value after the other, each by step
  std::vector<Gap> gaps_;
  StepSums in_use_;
};

}  // namespace

PassDefinition DefineRematerialization() { return {MakePassOf<Rematerialization>, {kComputeAgain}, {kMemoryLimit}}; }

}  // namespace hloir
