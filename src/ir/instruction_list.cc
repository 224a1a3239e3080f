// See instruction_list.h.
#include "hloir/detail/instruction_list.h"

#include "support/hash.h"

#include <algorithm>

namespace hloir {
namespace {

uint32_t Hash(const HloInstruction* item) {
  // Instructions stand some hundred bytes apart; the product's high half mixes all bits.
  return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(item) >> 3) * kGoldenRatio >> 32);
}

}  // namespace

uint32_t InstructionList::SlotOf(const HloInstruction* item) const {
  const Table& in = *table();
  uint32_t at = Hash(item) & in.mask;
  while (in.slots[at] != 0 && items_[in.slots[at] - 1] != item) at = (at + 1) & in.mask;
  return at;
}

void InstructionList::Grow(Arena& arena) {
  const size_t capacity = 2 * items_.capacity();
  if (capacity <= kFew) return items_.reserve(arena, capacity);
  const Table kept = table() != nullptr ? *table() : Table();
  items_.reserve(arena, capacity, sizeof(Table));
  new (table()) Table(kept);
}

void InstructionList::Index(Arena& arena) {
  if (table() == nullptr) Grow(arena);
  Table& in = *table();
  in.fills_gaps = true;
  if (in.slots == nullptr || 2 * items_.size() > in.mask) {
    size_t slots = 128;
    while (slots < 4 * items_.size()) slots *= 2;
    in.slots = static_cast<uint32_t*>(arena.Allocate(slots * sizeof(uint32_t), alignof(uint32_t)));
    std::fill_n(in.slots, slots, 0);
    in.mask = static_cast<uint32_t>(slots - 1);
    in.indexed = 0;
  }
  for (; in.indexed < items_.size(); ++in.indexed) in.slots[SlotOf(items_[in.indexed])] = in.indexed + 1;
}

bool InstructionList::Contains(const HloInstruction* item) const {
  const bool has_slots = HasSlots();
  if (has_slots && table()->slots[SlotOf(item)] != 0) return true;
  return std::find(begin() + (has_slots ? table()->indexed : 0), end(), item) != end();
}

void InstructionList::Add(Arena& arena, HloInstruction* item) {
  // Tests the latest first, for add(x, x).
  if (!items_.empty() && items_.back() == item) return;
  if (items_.size() >= kFew) Index(arena);
  if (!Contains(item)) Append(arena, item);
}

// Passes that walk over a computation remove items in order or in reverse order: each is next to the previous one.
bool InstructionList::RemoveBesideLatest(const HloInstruction* item) {
  Table& in = *table();
  if (!in.fills_gaps) in.removed_at = static_cast<uint32_t>(items_.size());
  for (const uint32_t at : {in.removed_at - 1, in.removed_at, in.removed_at + 1}) {
    if (at >= items_.size() || items_[at] != item) continue;
    items_[at] = items_.back();
    items_.truncate(items_.size() - 1);
    in.removed_at = at;
    return true;
  }
  return false;
}

void InstructionList::Remove(Arena& arena, const HloInstruction* item) {
  if ((table() == nullptr || !table()->fills_gaps) && items_.size() < kFew) {
    const auto found = std::find(begin(), end(), item);
    if (found != end()) items_.erase(static_cast<size_t>(found - begin()));
    return;
  }
  if (table() == nullptr) Grow(arena);
  const bool done = !HasSlots() && RemoveBesideLatest(item);
  table()->fills_gaps = true;
  if (done) return;
  Index(arena);
  Table& in = *table();
  uint32_t gap = SlotOf(item);
  if (in.slots[gap] == 0) return;
  const uint32_t position = in.slots[gap], last = static_cast<uint32_t>(items_.size());
  if (position != last) {
    in.slots[SlotOf(items_.back())] = position;
    std::swap(items_[position - 1], items_.back());
  }
  // Later items of the same run of slots move up, so that no search stops at the gap.
  for (uint32_t at = (gap + 1) & in.mask; in.slots[at] != 0; at = (at + 1) & in.mask) {
    const uint32_t home = Hash(items_[in.slots[at] - 1]) & in.mask;
    if (((at - home) & in.mask) < ((at - gap) & in.mask)) continue;
    in.slots[gap] = in.slots[at];
    gap = at;
  }
  in.slots[gap] = 0;
  items_.truncate(items_.size() - 1);
  --in.indexed;
}

}  // namespace hloir
