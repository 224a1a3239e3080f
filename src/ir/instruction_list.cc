// See instruction_list.h.
#include "hloir/detail/instruction_list.h"

#include <algorithm>

namespace hloir {
namespace {

constexpr size_t kIndexed = 32;  // from so many items on there is a table

uint32_t Hash(const HloInstruction* item) {
  // Instructions stand some hundred bytes apart; the product's high half mixes all bits.
  return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(item) >> 3) * 0x9E3779B97F4A7C15u >> 32);
}

}  // namespace

uint32_t InstructionList::Slot(const HloInstruction* item) const {
  uint32_t at = Hash(item) & table_->mask;
  while (table_->slots[at] != 0 && items_[table_->slots[at] - 1] != item) at = (at + 1) & table_->mask;
  return at;
}

void InstructionList::Index(Arena& arena) {
  if (table_ == nullptr) table_ = arena.New<Table>();
  if (table_->slots == nullptr || 2 * items_.size() > table_->mask) {
    size_t slots = 128;
    while (slots < 4 * items_.size()) slots *= 2;
    table_->slots = static_cast<uint32_t*>(arena.Allocate(slots * sizeof(uint32_t), alignof(uint32_t)));
    std::fill_n(table_->slots, slots, 0);
    table_->mask = static_cast<uint32_t>(slots - 1);
    table_->indexed = 0;
  }
  for (; table_->indexed < items_.size(); ++table_->indexed) {
    table_->slots[Slot(items_[table_->indexed])] = table_->indexed + 1;
  }
}

bool InstructionList::Contains(const HloInstruction* item) const {
  if (table_ != nullptr && table_->slots[Slot(item)] != 0) return true;
  return std::find(begin() + (table_ != nullptr ? table_->indexed : 0), end(), item) != end();
}

void InstructionList::Add(Arena& arena, HloInstruction* item) {
  // The latest is the likeliest to come again: add(x, x).
  if (!items_.empty() && items_.back() == item) return;
  if (items_.size() >= kIndexed) Index(arena);
  if (!Contains(item)) items_.push_back(arena, item);
}

void InstructionList::Remove(Arena& arena, const HloInstruction* item) {
  if (table_ == nullptr && items_.size() < kIndexed) {
    const auto found = std::find(begin(), end(), item);
    if (found != end()) items_.erase(static_cast<size_t>(found - begin()));
    return;
  }
  Index(arena);
  uint32_t gap = Slot(item);
  if (table_->slots[gap] == 0) return;
  const uint32_t position = table_->slots[gap], last = static_cast<uint32_t>(items_.size());
  if (position != last) {
    table_->slots[Slot(items_.back())] = position;
    std::swap(items_[position - 1], items_.back());
  }
  // Later items of the same run of slots move up, so that no search stops at the gap.
  const uint32_t mask = table_->mask;
  for (uint32_t at = (gap + 1) & mask; table_->slots[at] != 0; at = (at + 1) & mask) {
    const uint32_t home = Hash(items_[table_->slots[at] - 1]) & mask;
    if (((at - home) & mask) < ((at - gap) & mask)) continue;
    table_->slots[gap] = table_->slots[at];
    gap = at;
  }
  table_->slots[gap] = 0;
  items_.truncate(items_.size() - 1);
  --table_->indexed;
}

}  // namespace hloir
