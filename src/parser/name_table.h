// NameTable: from a name in the text to the instruction that has it, for a whole module at once. Names are scoped by
// computation, so a name's entry tells the latest instruction of that name, and the parser looks whose that is. Open
// addressing with 8 bytes a slot; entries stand in the order of definition, so what was defined last is still in cache.
#pragma once

#include <vector>

#include "hloir/instruction.h"
#include "lexer.h"

namespace hloir {

class NameTable {
 public:
  struct Entry {
    Word name;
    HloInstruction* instruction;  // nullptr: the name is taken, by a name that the parser made
  };

  NameTable() : slots_(kMinSlots) {}

  // Said early of a name that will be added: its slot comes into cache meanwhile. A large module's table is larger than
  // that.
  void Prefetch(const Word& word) const { __builtin_prefetch(&slots_[word.hash & (slots_.size() - 1)], 1); }
  // The entry of a name, or nullptr.
  Entry* Find(const Word& word) {
    const size_t mask = slots_.size() - 1;
    for (size_t i = word.hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.entry == 0) return nullptr;
      if (slot.hash != word.hash) continue;
      Entry& entry = entries_[slot.entry - 1];
      if (IsSame(entry.name, word)) return &entry;
    }
  }
  // The entry of a name, new (and `is_new` set) if there was none.
  Entry& FindOrAdd(const Word& word, bool& is_new) {
    if (2 * entries_.size() >= slots_.size()) Grow();
    const size_t mask = slots_.size() - 1;
    size_t i = word.hash & mask;
    for (; slots_[i].entry != 0; i = (i + 1) & mask) {
      if (slots_[i].hash != word.hash) continue;
      Entry& entry = entries_[slots_[i].entry - 1];
      if (IsSame(entry.name, word)) {
        is_new = false;
        return entry;
      }
    }
    is_new = true;
    entries_.push_back({word, nullptr});
    slots_[i] = {word.hash, static_cast<uint32_t>(entries_.size())};
    return entries_.back();
  }
  std::vector<Entry>& entries() { return entries_; }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = 0;  // index + 1; 0: free
  };
  static constexpr size_t kMinSlots = 256;
  static bool IsSame(const Word& a, const Word& b) { return a.size == b.size && SameBytes(a.data, b.data, a.size); }
  void Grow() {
    std::vector<Slot> grown(2 * slots_.size());
    const size_t mask = grown.size() - 1;
    for (const Slot& slot : slots_) {
      if (slot.entry == 0) continue;
      size_t i = slot.hash & mask;
      while (grown[i].entry != 0) i = (i + 1) & mask;
      grown[i] = slot;
    }
    slots_.swap(grown);
  }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
};

}  // namespace hloir
