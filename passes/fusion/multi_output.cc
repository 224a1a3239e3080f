// Producer–consumer and sibling fusion with several results.
//
// The pass visits instructions in their order. Each loop is a candidate `second`; its `first` is a loop whose result it
// reads (producer), or the last loop before it that reads a value that it reads, too (sibling). They are joined if they
// run over the same elements, if that saves a good part of the memory traffic of both, and if no path leads from the
// first through others to the second, which would become a cycle. A join moves the instructions between the two, so one
// round only joins pairs whose ranges do not overlap. Rounds repeat until nothing changes, and visit only loops that
// were blocked in the round before, or that are near a join.
#include "fusion/multi_output.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fusion/pairs.h"
#include "hloir/rewrite_util.h"

namespace hloir::fusion {
namespace {

constexpr int kMaxSiblingRounds = 16;
constexpr int64_t kMaxUsersOfSibling = 16;

// True if `second` reads the results of `first` only at the index that was just computed. Not so for the result of a
// reduction, which is complete after the loop, and below a transpose or slice.
bool ReadsInStep(HloInstruction* first, const HloInstruction& second, const Shape& shape) {
  const HloInstruction* root = &BodyRoot(second);
  if (root->opcode() == HloOpcode::kTuple || root->opcode() == HloOpcode::kGetTupleElement) {
    // Several results already: only if it reads nothing of the first's.
    return std::none_of(second.operands().begin(), second.operands().end(),
                        [&](const HloInstruction* o) { return UnitOf(o) == first; });
  }
  // The instructions with the loop's own index: from the root down through elementwise operations.
  std::vector<const HloInstruction*> in_step{root};
  auto contains = [&](const HloInstruction* i) {
    return std::find(in_step.begin(), in_step.end(), i) != in_step.end();
  };
  if (second.opcode() == HloOpcode::kFusion) {
    for (size_t at = 0; at < in_step.size(); ++at) {
      const Role role = RoleOf(*in_step[at]);
      if (role != Role::kArithmetic && !(role == Role::kReduce && at == 0)) continue;
      for (const HloInstruction* operand : in_step[at]->operands()) {
        if (operand->shape().SameDimensions(shape) && !contains(operand)) in_step.push_back(operand);
      }
    }
  }
  for (int64_t k = 0; k < second.operand_count(); ++k) {
    const HloInstruction* value = second.operand(k);
    if (UnitOf(second.operand(k)) != first) continue;
    if (!value->shape().SameDimensions(shape)) return false;
    if (second.opcode() != HloOpcode::kFusion) continue;
    for (const HloInstruction* user : second.fused_computation()->parameter(k)->users()) {
      const Role role = RoleOf(*user);
      if (!contains(user) || (role != Role::kArithmetic && role != Role::kReduce)) return false;
    }
  }
  return true;
}

int64_t Bytes(const HloInstruction& i) {
  int64_t bytes = i.shape().ByteSize();
  for (const HloInstruction* operand : i.operands()) bytes += operand->shape().ByteSize();
  return bytes;
}

// The bytes that the second no longer reads.
int64_t SavedBytes(HloInstruction* first, const HloInstruction& second) {
  int64_t saved = 0;
  for (const HloInstruction* operand : second.operands()) {
    if (UnitOf(operand) == first || first->OperandIndex(operand) >= 0) saved += operand->shape().ByteSize();
  }
  return saved;
}

class Joining {
 public:
  Joining(HloComputation& computation, const Limits& limits, RewriteGate& gate, FusionBuilder& builder,
          Positions& positions)
      : computation_(computation), limits_(limits), gate_(gate), builder_(builder), positions_(positions) {}

  bool Round() {
    const std::vector<HloInstruction*> order = computation_.PostOrder();
    positions_.Set(order);
    shapes_.assign(order.size(), std::nullopt);
    Marks now = std::exchange(again_, Marks());
    now.Sort();
    int32_t settled = -1;  // up to here, positions no longer match the order
    bool any = false;
    for (size_t at = 0; at < order.size(); ++at) {
      HloInstruction* second = order[at];
      if (at + kFetched < order.size()) Fetch(order[at + kFetched]);
      if ((!is_first_round_ && !now.Has(second)) || (second->user_count() == 0 && !second->IsRoot())) continue;
      const Shape* shape = ShapeOf(second, static_cast<int32_t>(at));
      HloInstruction* first = shape == nullptr ? nullptr : BestFirst(second, *shape, settled);
      if (first == nullptr) continue;
      const std::string reason =
          gate_.explaining() ? std::to_string(SavedBytes(first, *second)) + " bytes need not be read twice" : "";
      if (!gate_.Allow(kMultiOutput, *second, reason, first)) continue;
      settled = positions_.Of(second);
      HloInstruction* joined = builder_.Join(first, second, /*copy_first=*/false, !gate_.explaining());
      gate_.Done(joined);
      MarkAround(*joined);
      any = true;
    }
    is_first_round_ = false;
    return any;
  }

 private:
  // A set of instructions, by id: a list, as its size must not depend on the module's.
  class Marks {
   public:
    void Add(const HloInstruction* i) { ids_.push_back(i->id()); }
    void Sort() {
      std::sort(ids_.begin(), ids_.end());
      ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    }
    bool Has(const HloInstruction* i) const { return std::binary_search(ids_.begin(), ids_.end(), i->id()); }

   private:
    std::vector<int32_t> ids_;  // sorted, once Sort was called
  };

  // Only the candidates around a join can change in the next round: the join, the readers of its results, and the
  // readers of its operands.
  void MarkAround(const HloInstruction& joined) {
    again_.Add(&joined);
    for (const HloInstruction* user : joined.users()) {
      again_.Add(user);
      for (const HloInstruction* reader : user->users()) again_.Add(reader);
    }
    for (const HloInstruction* operand : joined.operands()) {
      if (operand->user_count() > kMaxUsersOfSibling) continue;
      for (const HloInstruction* user : operand->users()) again_.Add(user);
    }
  }

  // For loops; joining two does not change those of later ones.
  const Shape* ShapeOf(HloInstruction* unit, int32_t place) {
    std::optional<const Shape*>& shape = shapes_[static_cast<size_t>(place)];
    if (!shape) shape = LoopShape(*unit, limits_.max_results, limits_.join_products);
    return *shape;
  }

  HloInstruction* BestFirst(HloInstruction* second, const Shape& shape, int32_t settled) {
    HloInstruction* best = nullptr;
    int64_t best_saved = 0;
    seen_.clear();
    const int32_t last = positions_.Of(second);
    int32_t cut_at = -1;  // up to here, searches for a path to the second are cut short
    const auto reads = [&](const HloInstruction* first) {
      return std::any_of(second->operands().begin(), second->operands().end(),
                         [&](const HloInstruction* operand) { return UnitOf(operand) == first; });
    };
    auto consider = [&](HloInstruction* first) {
      const int32_t place = positions_.Of(first);
      if (place >= last) return;
      if (std::find(seen_.begin(), seen_.end(), first) != seen_.end()) return;
      seen_.push_back(first);
      if (place <= settled) return again_.Add(second);
      if (place <= cut_at && !reads(first)) return;
      const Shape* other = ShapeOf(first, place);
      if (other == nullptr || !other->SameDimensions(shape)) return;
      const int64_t saved = SavedBytes(first, *second);
      if (saved <= best_saved) return;
      if (limits_.least_gain > 0 &&
          static_cast<double>(saved) < limits_.least_gain * static_cast<double>(Bytes(*first) + Bytes(*second)))
        return;
      if (SizeOf(*first) + SizeOf(*second) > limits_.max_instructions) return;
      if (IsProduct(*first) && IsProduct(*second)) return;  // a loop has one product
      if (!ReadsInStep(first, *second, shape)) return;
      bool cut_short = false;
      if (HasPathAround(first, second, positions_, &cut_short)) {
        if (cut_short) cut_at = std::max(cut_at, place);
        return;
      }
      best = first;
      best_saved = saved;
    };
    for (HloInstruction* operand : second->operands()) {
      consider(UnitOf(operand));
      if (operand->user_count() > kMaxUsersOfSibling) continue;
      for (HloInstruction* user : operand->users()) consider(user);
    }
    return best;
  }
  HloComputation& computation_;
  const Limits limits_;
  RewriteGate& gate_;
  FusionBuilder& builder_;
  Positions& positions_;
  bool is_first_round_ = true;
  Marks again_;                                      // to be looked at in the next round, as second
  std::vector<std::optional<const Shape*>> shapes_;  // by position, computed on demand
  std::vector<HloInstruction*> seen_;                // by BestFirst
};

}  // namespace

bool JoinLoops(HloComputation& computation, const Limits& limits, RewriteGate& gate, FusionBuilder& builder,
               Positions& positions) {
  // A schedule has all uses after their definitions; the instructions between the two loops would have to move.
  if (computation.module()->config().is_scheduled) return false;
  Joining joining(computation, limits, gate, builder, positions);
  bool changed = false;
  for (int round = 0; round < kMaxSiblingRounds && joining.Round(); ++round) changed = true;
  return changed;
}

}  // namespace hloir::fusion
