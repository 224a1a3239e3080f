// Tables of a module that keep edits cheap: one copy of each shape, and for instructions with very many operands,
// several of which were replaced, the position of each operand. Without these positions, replacing the n operands of a
// tuple one by one takes n² steps. Covered by tests/unit/analysis_test.cc and tests/linear.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "hloir/module.h"

namespace hloir {

// The places of each operand of one instruction.
class OperandPlaces {
 public:
  explicit OperandPlaces(std::span<HloInstruction* const> operands) : next_(operands.size()), before_(operands.size()) {
    first_.reserve(operands.size());
    for (size_t i = operands.size(); i-- > 0;) Add(static_cast<int32_t>(i), operands[i]);
  }
  // One of its positions, or -1.
  int64_t PlaceOf(const HloInstruction* operand) const {
    const auto found = first_.find(operand);
    return found != first_.end() ? found->second : -1;
  }
  void Replace(int64_t place, const HloInstruction* old, const HloInstruction* operand) {
    const size_t at = static_cast<size_t>(place);
    const int32_t next = next_[at], before = before_[at];
    if (next >= 0) before_[static_cast<size_t>(next)] = before;
    if (before >= 0) next_[static_cast<size_t>(before)] = next;
    else if (next >= 0) first_[old] = next;
    else first_.erase(old);
    Add(static_cast<int32_t>(place), operand);
  }

 private:
  void Add(int32_t place, const HloInstruction* operand) {
    const auto [at, is_new] = first_.emplace(operand, place);
    const size_t i = static_cast<size_t>(place);
    next_[i] = is_new ? -1 : at->second;
    before_[i] = -1;
    if (!is_new) before_[static_cast<size_t>(at->second)] = place;
    at->second = place;
  }

  std::unordered_map<const HloInstruction*, int32_t> first_;
  std::vector<int32_t> next_, before_;  // of the same operand, by place; -1: none
};

struct HloModule::ShapePool {
  struct Slot {
    size_t hash = 0;
    const Shape* shape = nullptr;  // nullptr: free
  };
  std::vector<Slot> slots = std::vector<Slot>(64);  // open addressing, at most half of them taken
  size_t count = 0;
  // The slot of a shape, or the free slot for it.
  Slot& SlotOf(const Shape& shape, size_t hash) {
    size_t at = hash & (slots.size() - 1);
    while (slots[at].shape != nullptr && !(slots[at].hash == hash && *slots[at].shape == shape))
      at = (at + 1) & (slots.size() - 1);
    return slots[at];
  }
  void Grow() {
    std::vector<Slot> grown(2 * slots.size());
    slots.swap(grown);
    for (const Slot& slot : grown) {
      if (slot.shape == nullptr) continue;
      size_t at = slot.hash & (slots.size() - 1);
      while (slots[at].shape != nullptr) at = (at + 1) & (slots.size() - 1);
      slots[at] = slot;
    }
  }
  // A cache of shapes by address: a requested shape is mostly that of an instruction of the module.
  std::array<const Shape*, 64> known = {};
  const Shape*& KnownAt(const Shape* shape) { return known[reinterpret_cast<uintptr_t>(shape) / 16 % known.size()]; }

  // For instructions with at least this many operands, after this many searches.
  static constexpr size_t kManyOperands = 64;
  static constexpr int kLooks = 16;
  struct Operands {
    int looks = 0;
    std::unique_ptr<OperandPlaces> places;
  };
  std::unordered_map<int32_t, Operands> operands;  // by instruction id

  // nullptr if a linear search is cheaper.
  OperandPlaces* PlacesOf(const HloInstruction& instruction, std::span<HloInstruction* const> all) {
    if (all.size() < kManyOperands) return nullptr;
    Operands& known = operands[instruction.id()];
    if (known.places == nullptr && ++known.looks > kLooks) known.places = std::make_unique<OperandPlaces>(all);
    return known.places.get();
  }
  void ForgetPlaces(const HloInstruction& instruction) {
    if (!operands.empty()) operands.erase(instruction.id());
  }
};

}  // namespace hloir
