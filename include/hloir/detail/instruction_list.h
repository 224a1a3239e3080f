// InstructionList: an ordered set of instructions, for the users of an instruction and the callers of a computation.
// Most have one or two entries; a constant or a reducer may have a million, and is then still changed in constant time:
// past some 30 entries a table says where each one stands, and a removal puts the last one into the gap. The order
// depends on the edits alone, never on addresses. Tested by tests/unit/analysis_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "hloir/detail/arena.h"

#pragma GCC visibility push(default)
namespace hloir {

class HloInstruction;

class InstructionList {
 public:
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  HloInstruction* back() const { return begin()[size() - 1]; }
  HloInstruction* const* begin() const { return items_.begin(); }
  HloInstruction* const* end() const { return items_.end(); }
  operator std::span<HloInstruction* const>() const { return {items_.data(), items_.size()}; }
  bool Contains(const HloInstruction* item) const;
  // Adds an instruction that is known not to be in the list: the parser's case, which needs no table.
  void Append(Arena& arena, HloInstruction* item) {
    if (items_.size() == items_.capacity()) Grow(arena);
    items_.push_back(arena, item);
  }
  // No effect if it is in the list already.
  void Add(Arena& arena, HloInstruction* item);
  // No effect if it is not in the list.
  void Remove(Arena& arena, const HloInstruction* item);

 private:
  static constexpr size_t kFew = 32;
  // Positions in items_ plus one, 0 for a free slot; open addressing, at least twice as many slots as items. It
  // precedes the items of a list with room for more than a few; its slots are allocated on first use.
  struct Table {
    uint32_t* slots = nullptr;
    uint32_t mask = 0, indexed = 0;  // the number of items in the table: a prefix of items_
    uint32_t removed_at = 0;         // position of the latest removal, while there are no slots
    bool fills_gaps = false;         // removals move the last item into the gap
  };
  Table* table() const {
    if (items_.capacity() <= kFew) return nullptr;
    return reinterpret_cast<Table*>(const_cast<HloInstruction**>(items_.begin())) - 1;
  }
  bool HasSlots() const { return table() != nullptr && table()->slots != nullptr; }
  bool RemoveBesideLatest(const HloInstruction* item);
  uint32_t SlotOf(const HloInstruction* item) const;  // its slot, or the free slot for it
  void Grow(Arena& arena);
  void Index(Arena& arena);

  ArenaVector<HloInstruction*> items_;
};

}  // namespace hloir
#pragma GCC visibility pop
