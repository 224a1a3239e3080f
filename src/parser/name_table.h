// NameTable: from a name in the text to the instruction that has it, for a whole module at once. Names are scoped by
// computation, so a name's slot tells the latest instruction of that name, and the parser looks whose that is. Open
// addressing with 8 bytes a slot, which are all that most names take: the instruction itself knows its name.
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
  // Of instructions that `loader` makes; nullptr: of any, which takes three times the memory.
  explicit NameTable(const GraphLoader* loader) : loader_(loader), slots_(kMinSlots) {}

  struct Slot {
    uint32_t hash = 0;
    uint32_t item = 0;  // 0: free
  };

  // Room for about that many names, so that the table need not grow. Before there are any.
  void Reserve(size_t names) { slots_.resize(std::bit_ceil(std::max(2 * names, kMinSlots))); }
  // Said early of a name that will be added: its slot comes into cache meanwhile. A large module's table is larger than
  // that.
  void Prefetch(const Word& word) const { __builtin_prefetch(&slots_[word.hash & (slots_.size() - 1)], 1); }
  // The slot of a name, or nullptr.
  const Slot* Find(const Word& word) const {
    const Slot& slot = slots_[Search(word)];
    return slot.item != 0 ? &slot : nullptr;
  }
  // The instruction that a name means, or nullptr.
  [[gnu::always_inline]] HloInstruction* Meaning(const Word& word) const {
    const size_t mask = slots_.size() - 1;
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
  // The slot of a name, new (and `is_new` set) if there was none: then, before anything else is asked, Set or Take says
  // whose it is. Slots move when another name is added.
  [[gnu::always_inline]] Slot& FindOrAdd(const Word& word, bool& is_new) {
    // A fuller table would have runs of names, at whose ends branch predictors guess wrong.
    if (2 * (used_ + 1) > slots_.size()) Grow();
    Slot& slot = slots_[Search(word)];
    is_new = slot.item == 0;
    if (is_new) slot.hash = word.hash, ++used_;
    return slot;
  }
  // The instruction that is meant by it; nullptr: the name is taken, by a name that the parser made.
  HloInstruction* InstructionOf(const Slot& slot) const {
    if ((slot.item & kAside) != 0) return aside_[slot.item & kNumber].instruction;
    return (slot.item & kMade) != 0 ? nullptr : loader_->Made((slot.item & kNumber) - 1);
  }
  // `slot` is that of `name`, which is the instruction's own, and means it.
  void SetOwn(Slot& slot, const Word& name, HloInstruction* instruction) {
    if (loader_ == nullptr) Set(slot, name, instruction);
    else slot.item = static_cast<uint32_t>(instruction->id()) + 1;
  }
  // `slot` is that of `word`, and means the instruction (nullptr: none), which may be called otherwise.
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
  // `word`, which is new, is taken by a name that the parser made for the instruction, and means nothing.
  void Take(const Word& word, const HloInstruction* instruction) {
    bool is_new = false;
    Slot& slot = FindOrAdd(word, is_new);
    const bool own = loader_ != nullptr && IsSame(instruction->name(), word);
    if (own) slot.item = kMade | (static_cast<uint32_t>(instruction->id()) + 1);
    else Set(slot, word, nullptr);
  }
  // All slots, the free ones too, and the name of one that is not free.
  const std::vector<Slot>& slots() const { return slots_; }
  std::string_view NameOf(const Slot& slot) const {
    return (slot.item & kAside) != 0 ? aside_[slot.item & kNumber].name.text()
                                     : loader_->Made((slot.item & kNumber) - 1)->name();
  }

 private:
  // A name whose instruction, if it has one, is called otherwise.
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
    const size_t mask = slots_.size() - 1;
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
  }

  const GraphLoader* loader_;
  std::vector<Slot> slots_;
  size_t used_ = 0;
  std::vector<Aside> aside_;
};

}  // namespace hloir
