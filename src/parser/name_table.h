// NameTable: from a name in the text to the instruction that has it, for a whole module at once. Names are scoped by
// computation: a name's slot has the latest instruction of that name, and the parser checks its computation. Open
// addressing with 8 bytes a slot; most names need no more, because the instruction stores the name.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "hloir/instruction.h"
#include "ir/graph_loader.h"
#include "lexer.h"

namespace hloir {

class NameTable {
 public:
  // For instructions of `loader`; nullptr: for any instructions, with three times the memory.
  explicit NameTable(const GraphLoader* loader) : loader_(loader), slots_(kMinSlots) {}

  struct Slot {
    uint32_t hash = 0;
    uint32_t item = 0;  // 0: free
  };

  // Reserves room for about this many names. Call it before adding names.
  void Reserve(size_t names) {
    slots_.resize(std::bit_ceil(std::max(2 * names, kMinSlots)));
    mask_ = slots_.size() - 1;
  }
  // Prefetches the slot of a name that will be added, because a large module's table exceeds the cache.
  void Prefetch(const Word& word) const { __builtin_prefetch(&slots_[word.hash & mask_], 1); }
  // The slot of a name, or nullptr.
  const Slot* Find(const Word& word) const {
    const Slot& slot = slots_[Search(word)];
    return slot.item != 0 ? &slot : nullptr;
  }
  // The instruction of a name, or nullptr.
  [[gnu::always_inline]] HloInstruction* Meaning(const Word& word) const {
    const size_t mask = mask_;
    for (size_t i = word.hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.item == 0) return nullptr;
      if (slot.hash != word.hash) continue;
      if (slot.item > kNumber) {
        if (IsSame(NameOf(slot), word)) return InstructionOf(slot);
      } else {
        HloInstruction* instruction = loader_->Made(slot.item - 1);
        if (IsSame(instruction->name(), word)) return instruction;
      }
    }
  }
  // The slot of a name; if it is new, `is_new` is set, and Set or Take must assign it before any other call. Adding a
  // name moves slots.
  [[gnu::always_inline]] Slot& FindOrAdd(const Word& word, bool& is_new) {
    // A fuller table would have runs of names, which cause branch mispredictions.
    if (2 * used_ + 1 > mask_) Grow();
    Slot& slot = slots_[Search(word)];
    is_new = slot.item == 0;
    if (is_new) slot.hash = word.hash, ++used_;
    return slot;
  }
  // The instruction of the slot; nullptr: the name is reserved by a generated name.
  HloInstruction* InstructionOf(const Slot& slot) const {
    if ((slot.item & kAside) != 0) return aside_[slot.item & kNumber].instruction;
    return (slot.item & kMade) != 0 ? nullptr : loader_->Made((slot.item & kNumber) - 1);
  }
  // Assigns `slot`, that of `name`, to the instruction, whose name is `name`.
  void SetOwn(Slot& slot, const Word& name, HloInstruction* instruction) {
    if (loader_ == nullptr) Set(slot, name, instruction);
    else slot.item = static_cast<uint32_t>(instruction->id()) + 1;
  }
  // Assigns `slot`, that of `word`, to the instruction (nullptr: none), whose name may be another.
  void Set(Slot& slot, const Word& word, HloInstruction* instruction) {
    if ((slot.item & kAside) == 0) {
      slot.item = kAside | static_cast<uint32_t>(aside_.size());
      aside_.push_back({word, nullptr});
    }
    aside_[slot.item & kNumber].instruction = instruction;
  }
  void Set(const Word& word, HloInstruction* instruction) {
    bool is_new = false;
    Slot& slot = FindOrAdd(word, is_new);
    Set(slot, word, instruction);
  }
  // Reserves `word`, a new name, which the parser generated for the instruction; look-ups do not find it.
  void Take(const Word& word, const HloInstruction* instruction) {
    bool is_new = false;
    Slot& slot = FindOrAdd(word, is_new);
    const bool own = loader_ != nullptr && IsSame(instruction->name(), word);
    if (own) slot.item = kMade | (static_cast<uint32_t>(instruction->id()) + 1);
    else Set(slot, word, nullptr);
  }
  // All slots, including free ones, and the name in an occupied one.
  const std::vector<Slot>& slots() const { return slots_; }
  std::string_view NameOf(const Slot& slot) const {
    return (slot.item & kAside) != 0 ? aside_[slot.item & kNumber].name.text()
                                     : loader_->Made((slot.item & kNumber) - 1)->name();
  }

 private:
  // A name that differs from its instruction's name, or has no instruction.
  struct Aside {
    Word name;
    HloInstruction* instruction;
  };
  // An item is an instruction's number plus 1, perhaps with kMade, or kAside with an index.
  static constexpr uint32_t kAside = 1u << 31, kMade = 1u << 30, kNumber = kMade - 1;
  static constexpr size_t kMinSlots = 256;

  static bool IsSame(std::string_view a, const Word& b) {
    return a.size() == b.size && (a.data() == b.data || SameBytes(a.data(), b.data, b.size));
  }
  // The slot of the name, or the free slot for it.
  [[gnu::always_inline]] size_t Search(const Word& word) const {
    const size_t mask = mask_;
    for (size_t i = word.hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.item == 0 || (slot.hash == word.hash && IsSame(NameOf(slot), word))) return i;
    }
  }
  [[gnu::cold]] void Grow() {
    std::vector<Slot> grown(2 * slots_.size());
    const size_t mask = grown.size() - 1;
    for (const Slot& slot : slots_) {
      if (slot.item == 0) continue;
      size_t i = slot.hash & mask;
      while (grown[i].item != 0) i = (i + 1) & mask;
      grown[i] = slot;
    }
    slots_.swap(grown);
    mask_ = mask;
  }

  const GraphLoader* loader_;
  std::vector<Slot> slots_;
  size_t mask_ = slots_.size() - 1, used_ = 0;
  std::vector<Aside> aside_;
};

}  // namespace hloir
