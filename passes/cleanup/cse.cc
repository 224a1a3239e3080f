// cse: merges instructions that compute the same value: equal opcode, attributes, shape and called computations, on the
// same operands. One walk, operands first, by structural hash.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[4]{0} parameter(1)
//   sum = f32[4]{0} add(x, y)
//   sum_again = f32[4]{0} add(y, x)
//   ROOT product = f32[4]{0} multiply(sum, sum_again)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[4]{0} parameter(1)
//   sum = f32[4]{0} add(x, y)
//   ROOT product = f32[4]{0} multiply(sum, sum)
// }
// END
//
// Constants merge by type and bits (-0 is not 0; a NaN is only the same NaN), called computations by structure. Leaves
// alone: random numbers, side effects, whatever calls such things, collectives, halves of async pairs, barriers,
// tokens; bodies of fusions and async operations; shardings, frontend attributes and layouts that differ; control
// dependencies.
#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <vector>

#include "hloir/pass.h"
#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kMergeCommonSubexpressions = {"merge", "A, A again => A"};

class Cse : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (!gate_.Enabled(kMergeCommonSubexpressions)) return false;
    std::vector<HloComputation*> order = module.PostOrder();
    FindImpure(module, order);
    class_of_.assign(static_cast<size_t>(module.computation_id_limit()), -1);
    computations_.clear();
    bool changed = false;
    for (HloComputation* computation : InFetchedOrder(order)) {
      if (!IsWrapped(*computation)) changed |= RunOn(*computation);
      // Its callees have classes already; its callers come later.
      class_of_[static_cast<size_t>(computation->id())] = ClassOf(*computation);
    }
    return changed;
  }

 private:
  // Computations that hold, or call, an instruction that must not be merged with an equal one (side effects, random
  // numbers).
  void FindImpure(const HloModule& module, const std::vector<HloComputation*>& callees_first) {
    static const OpcodeSet kMayBeImpure = OpcodesWith(kOnce).set(static_cast<size_t>(HloOpcode::kCustomCall));
    impure_.assign(static_cast<size_t>(module.computation_id_limit()), false);
    any_impure_ = false;
    for (const HloComputation* computation : callees_first) {
      if ((computation->opcodes() & kMayBeImpure).none() && !any_impure_) continue;
      for (const HloInstruction* i : computation->AllInstructions()) {
        if (IsImpure(*i)) impure_[static_cast<size_t>(computation->id())] = any_impure_ = true;
      }
    }
  }
  bool IsImpure(const HloInstruction& i) const {
    if (i.Is(kOnce)) return true;
    if (i.opcode() == HloOpcode::kCustomCall && i.attributes<CustomCallAttributes>().custom_call_has_side_effect)
      return true;
    if (!any_impure_) return false;
    for (const HloComputation* called : i.called_computations()) {
      if (impure_[static_cast<size_t>(called->id())]) return true;
    }
    return false;
  }

  // A number shared by equal computations. The hash almost always decides.
  int64_t ClassOf(const HloComputation& computation) {
    if (computation.callers().empty()) return -1;
    // The hash of the shallow structure: opcodes and shapes in order, with the callees' classes.
    uint64_t hash = static_cast<uint64_t>(computation.parameter_count());
    for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
      // Summed, as stored order does not count.
      uint64_t part = StructuralHash(*i);
      for (const HloComputation* called : i->called_computations()) {
        part = MixHash(part, static_cast<uint64_t>(class_of_[static_cast<size_t>(called->id())]));
      }
      hash += part;
    }
    auto& candidates = computations_[hash];
    for (const auto& [other, number] : candidates) {
      if (StructurallyEqual(computation, *other)) return number;
    }
    int64_t number = computation.id();
    candidates.push_back({&computation, number});
    return number;
  }

  bool IsCandidate(const HloInstruction& i) const {
    if (i.HasControlDependencies() || IsImpure(i)) return false;
    // Buffers may be written separately.
    for (const Shape* leaf : i.shape().IsArray() ? std::vector<const Shape*>() : i.shape().Leaves()) {
      if (leaf->IsToken() || leaf->IsBuffer()) return false;
    }
    const HloOpcode opcode = i.opcode();
    if (IsOneOf(opcode, HloOpcode::kParameter, HloOpcode::kOptimizationBarrier, HloOpcode::kDomain,
                HloOpcode::kAddDependency, HloOpcode::kAfterAll))
      return false;
    if (opcode == HloOpcode::kConstant) return !i.literal().elided();
    return true;
  }
  // Commutative operands in one order.
  static std::pair<const HloInstruction*, const HloInstruction*> Ordered(const HloInstruction& i) {
    const HloInstruction *a = i.operand(0), *b = i.operand(1);
    return a->id() <= b->id() ? std::pair(a, b) : std::pair(b, a);
  }
  uint64_t Hash(const HloInstruction& i) const {
    uint64_t hash = StructuralHash(i);
    auto add = [&](int64_t word) { hash = MixHash(hash, static_cast<uint64_t>(word)); };
    if (i.Is(kCommutative)) {
      auto [a, b] = Ordered(i);
      add(a->id()), add(b->id());
    } else {
      for (const HloInstruction* operand : i.operands()) add(operand->id());
    }
    for (const HloComputation* called : i.called_computations()) add(class_of_[static_cast<size_t>(called->id())]);
    return hash;
  }
  bool Equal(const HloInstruction& a, const HloInstruction& b) const {
    if (!StructurallyEqual(a, b)) return false;
    if (a.Is(kCommutative)) {
      if (Ordered(a) != Ordered(b)) return false;
    } else if (!std::equal(a.operands().begin(), a.operands().end(), b.operands().begin())) {
      return false;
    }
    for (size_t k = 0; k < a.called_computations().size(); ++k) {
      int64_t x = class_of_[static_cast<size_t>(a.called_computations()[k]->id())];
      if (x < 0 || x != class_of_[static_cast<size_t>(b.called_computations()[k]->id())]) return false;
    }
    return true;
  }

  // Instructions of a list by their hash, in one small block of memory: in a large module each look elsewhere waits for
  // it.
  class SeenTable {
   public:
    explicit SeenTable(const std::vector<HloInstruction*>& list)
        : list_(list), slots_(std::bit_ceil(list.size() + list.size() / 2 + 2)) {}
    void Fetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
    // The one that is known and equal; or nullptr, and list[place] is known from now on.
    template <class IsEqual>
    HloInstruction* FindOrAdd(uint64_t hash, size_t place, IsEqual is_equal) {
      size_t at = hash & (slots_.size() - 1);
      const uint32_t tag = static_cast<uint32_t>(hash >> 32);
      for (; slots_[at].end != 0; at = (at + 1) & (slots_.size() - 1)) {
        HloInstruction* known = list_[slots_[at].end - 1];
        if (slots_[at].tag == tag && is_equal(*known)) return known;
      }
      slots_[at] = {tag, static_cast<uint32_t>(place) + 1};
      return nullptr;
    }

   private:
    struct Slot {
      uint32_t tag = 0;
      uint32_t end = 0;  // its place + 1; 0: free
    };
    const std::vector<HloInstruction*>& list_;
    std::vector<Slot> slots_;
  };

  bool RunOn(HloComputation& computation) {
    bool changed = false;
    // A schedule is an order with operands first, too; along it, the one that is kept is the one that comes first.
    const std::vector<HloInstruction*> order = InOrder(computation);
    SeenTable seen(order);
    // The table of a large computation is larger than a cache, so hashes are computed some instructions ahead. After a
    // merge, an instruction that was hashed before may have other operands.
    struct Ahead {
      uint64_t hash = 0;
      bool is_candidate = false;
    };
    constexpr size_t kAhead = 16;
    std::array<Ahead, kAhead> ring;
    size_t known = 0, stale = 0;
    for (size_t at = 0; at < order.size(); ++at) {
      HloInstruction* i = order[at];
      for (; known < std::min(at + kAhead, order.size()); ++known) {
        if (known + kAhead < order.size()) hloir::Fetch(order[known + kAhead]);
        Ahead& ahead = ring[known % kAhead];
        ahead.is_candidate = IsCandidate(*order[known]);
        if (!ahead.is_candidate) continue;
        ahead.hash = Hash(*order[known]);
        seen.Fetch(ahead.hash);
      }
      if (!ring[at % kAhead].is_candidate) continue;
      const uint64_t hash = at < stale ? Hash(*i) : ring[at % kAhead].hash;
      HloInstruction* same = seen.FindOrAdd(hash, at, [&](const HloInstruction& known) { return Equal(known, *i); });
      if (same == nullptr) continue;
      if (!gate_.Allow(kMergeCommonSubexpressions, *i)) continue;
      i->ReplaceAllUsesWith(same);
      stale = known;
      gate_.Done(same);
      RemoveIfDead(i);
      changed = true;
    }
    return changed;
  }

  // Instructions that must run twice.
  static constexpr uint32_t kOnce = kImpure | kSideEffect | kCollective | kAsyncPart;

  std::vector<bool> impure_;  // by computation id
  bool any_impure_ = false;
  std::vector<int64_t> class_of_;  // by computation id; -1: no caller
  std::unordered_map<uint64_t, std::vector<std::pair<const HloComputation*, int64_t>>> computations_;
};

}  // namespace

PassDefinition DefineCse() { return {MakePassOf<Cse>, {kMergeCommonSubexpressions}}; }

}  // namespace hloir
