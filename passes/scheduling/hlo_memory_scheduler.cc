// hlo-memory-scheduler: orders instructions for a smaller peak of memory, and marks the module as scheduled
// (is_scheduled).
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
//   x = f32[] parameter(0)
//   zero = f32[] constant(0)
//   large_a = f32[1000]{0} broadcast(x), dimensions={}
//   y = f32[] parameter(1)
//   large_b = f32[1000]{0} broadcast(y), dimensions={}
//   sum_a = f32[] reduce(large_a, zero), dimensions={0}, to_apply=add
//   sum_b = f32[] reduce(large_b, zero), dimensions={0}, to_apply=add
//   ROOT result = f32[] add(sum_a, sum_b)
// }
// AFTER
// HloModule example, is_scheduled=true
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[] parameter(0)
//   large_a = f32[1000]{0} broadcast(x), dimensions={}
//   zero = f32[] constant(0)
//   sum_a = f32[] reduce(large_a, zero), dimensions={0}, to_apply=add
//   y = f32[] parameter(1)
//   large_b = f32[1000]{0} broadcast(y), dimensions={}
//   sum_b = f32[] reduce(large_b, zero), dimensions={0}, to_apply=add
//   ROOT result = f32[] add(sum_a, sum_b)
// }
// END
//
// Tries three orders and keeps the best: the printed one; depth first, the operand that needs most memory first; and
// the ready instruction that frees most. The peak (buffers of arrays, from definition to last use; without parameters
// and constants; including the needs of loop bodies and callees) is in the rewrite's reason. Not in the default
// pipeline, because the engine has its own plan. Leaves alone: scheduled modules; bodies of fusions.
#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kScheduleForMemory = {"schedule", "module => the module in an order that needs less memory at once"};

using Order = std::vector<HloInstruction*>;

class HloMemoryScheduler : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().is_scheduled || !gate_.Enabled(kScheduleForMemory)) return false;
    peaks_.assign(static_cast<size_t>(module.computation_id_limit()), 0);
    std::vector<std::pair<HloComputation*, Order>> schedules;
    int64_t before = 0, after = 0;
    for (HloComputation* computation : module.PostOrder()) {
      const Order printed = computation->PostOrder();
      FindBuffers(printed);
      Order best = printed;
      int64_t best_peak = Peak(printed);
      before = best_peak;
      if (!IsWrapped(*computation)) {
        for (Order& order : std::vector<Order>{DepthFirst(printed), MostFreedFirst(printed)}) {
          const int64_t peak = Peak(order);
          if (peak >= best_peak) continue;
          best_peak = peak;
          best = std::move(order);
        }
        schedules.emplace_back(computation, std::move(best));
      }
      peaks_[static_cast<size_t>(computation->id())] = after = best_peak;
    }
    // The entry comes last.
    const std::string reason =
        "peak " + std::to_string(before) + " => " + std::to_string(after) + " bytes in the entry";
    if (!gate_.Allow(kScheduleForMemory, *module.entry_computation()->root(), reason)) {
      return false;
    }
    for (auto& [computation, order] : schedules) {
      for (HloInstruction* i : order) computation->MoveBefore(i, nullptr);
    }
    module.config().is_scheduled = true;
    gate_.Done(module.entry_computation()->root());
    return true;
  }

 private:
  // Whose memory a reader of some value reads. Values that are the same memory share it; of a tuple's elements each has
  // its own, so that reading one of many does not read all.
  struct Memory {
    std::vector<const HloInstruction*> sources;
    std::vector<const Memory*> elements;  // empty: not distinguished
  };
  // The memory that an instruction's result owns, and the values whose memory it points to.
  struct Buffers {
    int64_t bytes = 0;  // 0: it only points
    const Memory* memory = nullptr;
    int64_t uses = 0;  // reads of its own memory, through pointers too
  };

  void FindBuffers(const Order& operands_first) {
    static const Memory kNone;
    buffers_.clear();
    memories_.clear();
    for (const HloInstruction* i : operands_first) {
      Buffers& b = buffers_[i];
      b.memory = &kNone;
      if (i->opcode() == HloOpcode::kGetTupleElement) {
        const Memory* whole = buffers_[i->operand(0)].memory;
        const size_t index = static_cast<size_t>(i->tuple_index());
        b.memory = index < whole->elements.size() ? whole->elements[index] : whole;
      } else if ((i->Is(kAliases) && i->operand_count() == 1 && i->opcode() != HloOpcode::kTuple) ||
                 i->opcode() == HloOpcode::kWhile) {  // a loop: in place of its initial value
        b.memory = buffers_[i->operand(0)].memory;
      } else if (i->Is(kAliases)) {
        Memory& memory = memories_.emplace_back();
        for (const HloInstruction* operand : i->operands()) {
          const Memory* of = buffers_[operand].memory;
          memory.sources.insert(memory.sources.end(), of->sources.begin(), of->sources.end());
          if (i->opcode() == HloOpcode::kTuple) memory.elements.push_back(of);
        }
        std::sort(memory.sources.begin(), memory.sources.end(), [](auto* x, auto* y) { return x->id() < y->id(); });
        memory.sources.erase(std::unique(memory.sources.begin(), memory.sources.end()), memory.sources.end());
        b.memory = &memory;
      } else if (!i->IsParameter() && !i->IsConstant()) {
        b.bytes = i->shape().ByteSize();
        b.memory = &memories_.emplace_back(Memory{{i}, {}});
      }
    }
    for (const HloInstruction* i : operands_first) {
      ForEachRead(*i, [&](Buffers& read) { ++read.uses; });
      if (i->IsRoot()) {
        for (const HloInstruction* source : buffers_[i].memory->sources) ++buffers_[source].uses;  // never freed
      }
    }
  }
  template <class F>
  void ForEachRead(const HloInstruction& i, F f) {
    const bool one_element = i.opcode() == HloOpcode::kGetTupleElement;
    for (const HloInstruction* operand : i.operands()) {
      for (const HloInstruction* source : buffers_[one_element ? &i : operand].memory->sources) f(buffers_[source]);
    }
  }
  int64_t PeakWithin(const HloInstruction& i) const {
    int64_t peak = 0;
    for (const HloComputation* called : i.called_computations()) {
      peak = std::max(peak, peaks_[static_cast<size_t>(called->id())]);
    }
    return i.Is(kControlFlow) ? peak : 0;
  }

  // The most bytes in use at once.
  int64_t Peak(const Order& order) {
    std::unordered_map<const Buffers*, int64_t> left;
    int64_t live = 0, peak = 0;
    for (const HloInstruction* i : order) {
      const Buffers& own = buffers_[i];
      live += own.bytes;
      peak = std::max(peak, live + PeakWithin(*i));
      ForEachRead(*i, [&](Buffers& read) {
        if (++left[&read] == read.uses) live -= read.bytes;
      });
      if (own.uses == 0) live -= own.bytes;
    }
    return peak;
  }

  // Operands that need the most memory first: their results are smaller than their temporaries.
  Order DepthFirst(const Order& operands_first) {
    std::unordered_map<const HloInstruction*, int64_t> need;
    auto sorted_operands = [&](HloInstruction* i) {
      Order operands(i->operands().begin(), i->operands().end());
      operands.insert(operands.end(), i->control_predecessors().begin(), i->control_predecessors().end());
      std::stable_sort(operands.begin(), operands.end(), [&](const HloInstruction* x, const HloInstruction* y) {
        return need[x] - buffers_[x].bytes > need[y] - buffers_[y].bytes;
      });
      return operands;
    };
    for (HloInstruction* i : operands_first) {
      int64_t held = 0, most = 0;
      for (const HloInstruction* operand : sorted_operands(i)) {
        most = std::max(most, held + need[operand]);
        held += buffers_[operand].bytes;
      }
      need[i] = std::max(most, held + buffers_[i].bytes + PeakWithin(*i));
    }
    Order order, stack;
    std::unordered_map<const HloInstruction*, int> state;  // 1: its operands are on the stack above it; 2: done
    for (HloInstruction* end : operands_first) {
      if (end->user_count() > 0) continue;
      stack.push_back(end);
      while (!stack.empty()) {
        HloInstruction* top = stack.back();
        int& at = state[top];
        if (at > 0) {
          stack.pop_back();
          if (at == 1) order.push_back(top);
          at = 2;
          continue;
        }
        at = 1;
        Order operands = sorted_operands(top);
        for (size_t k = operands.size(); k-- > 0;) {
          if (state[operands[k]] == 0) stack.push_back(operands[k]);
        }
      }
    }
    return order.size() == operands_first.size() ? order : operands_first;
  }

  // The ready instruction after which the least memory is in use.
  Order MostFreedFirst(const Order& operands_first) {
    std::unordered_map<const HloInstruction*, int64_t> position, missing;
    std::unordered_map<const Buffers*, int64_t> left;
    for (size_t k = 0; k < operands_first.size(); ++k) position[operands_first[k]] = static_cast<int64_t>(k);
    for (auto& [i, b] : buffers_) left[&b] = b.uses;
    auto growth = [&](const HloInstruction& i) {
      int64_t bytes = buffers_[&i].bytes;
      ForEachRead(i, [&](Buffers& read) { bytes -= left[&read] == 1 ? read.bytes : 0; });
      return bytes;
    };
    // (growth when it was inserted, position); an instruction that has improved since is taken later than possible.
    std::set<std::pair<int64_t, int64_t>> ready;
    for (HloInstruction* i : operands_first) {
      std::set<const HloInstruction*> needs(i->operands().begin(), i->operands().end());
      needs.insert(i->control_predecessors().begin(), i->control_predecessors().end());
      missing[i] = static_cast<int64_t>(needs.size());
      if (needs.empty()) ready.insert({growth(*i), position[i]});
    }
    Order order;
    while (!ready.empty()) {
      HloInstruction* i = operands_first[static_cast<size_t>(ready.begin()->second)];
      ready.erase(ready.begin());
      order.push_back(i);
      ForEachRead(*i, [&](Buffers& read) { --left[&read]; });
      auto done = [&](HloInstruction* after) {
        if (--missing[after] == 0) ready.insert({growth(*after), position[after]});
      };
      for (HloInstruction* user : i->users()) done(user);
      for (HloInstruction* successor : i->control_successors()) {
        if (!i->IsUsedBy(successor)) done(successor);
      }
    }
    return order.size() == operands_first.size() ? order : operands_first;
  }

  std::vector<int64_t> peaks_;                                  // by computation id
  std::unordered_map<const HloInstruction*, Buffers> buffers_;  // of the current computation
  std::deque<Memory> memories_;                                 // which they share
};

}  // namespace

PassDefinition DefineHloMemoryScheduler() { return {MakePassOf<HloMemoryScheduler>, {kScheduleForMemory}}; }

}  // namespace hloir
