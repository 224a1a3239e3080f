// NameIndex: a map from names to items. Open addressing, 16 bytes a slot, because a large computation's table exceeds
// any cache. Entries are never removed, so that removing and renaming are free: a lookup filters stale items by a
// predicate, and the owner rebuilds a full table. Tested by tests/unit/analysis_test.cc.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace hloir {

struct OwnName {
  template <class T>
  std::string_view operator()(const T& item) const {
    return item.name();
  }
};

template <class T, class NameOf = OwnName>
class NameIndex {
 public:
  bool empty() const { return slots_.empty(); }
  bool full() const { return 4 * used_ >= 3 * slots_.size(); }
  // Clears the table and reserves room for more than this number of items.
  void Reset(size_t items) {
    slots_.assign(std::bit_ceil(2 * items + 1), {});
    used_ = 0;
  }
  void Add(T* item) {
    const size_t hash = Hash(NameOf()(*item));
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].item != nullptr) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {hash, item};
    ++used_;
  }
  // Adds an item in the place of one whose name has the same hash and for which `is_gone` holds, if there is one: a
  // name that is given, freed and given again takes one slot.
  template <class IsGone>
  void AddOver(T* item, IsGone is_gone) {
    const size_t hash = Hash(NameOf()(*item));
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].item != nullptr && !(slots_[at].hash == hash && is_gone(*slots_[at].item)))
      at = (at + 1) & (slots_.size() - 1);
    used_ += slots_[at].item == nullptr;
    slots_[at] = {hash, item};
  }
  // Prefetches the slot of a name; returns its hash.
  size_t Fetch(std::string_view name) const {
    const size_t hash = Hash(name);
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
    return hash;
  }
  // Adds an item, whose name has that hash; returns false if there is an item of that name.
  bool AddIfNew(T* item, size_t hash) {
    size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].item != nullptr; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && NameOf()(*slots_[at].item) == NameOf()(*item)) return false;
    }
    slots_[at] = {hash, item};
    ++used_;
    return true;
  }
  // An item of that name for which `counts` holds; or nullptr.
  template <class Counts>
  T* Find(std::string_view name, Counts counts) const {
    if (empty()) return nullptr;
    const size_t hash = Hash(name);
    for (size_t at = hash & (slots_.size() - 1); slots_[at].item != nullptr; at = (at + 1) & (slots_.size() - 1)) {
      T* item = slots_[at].item;
      if (slots_[at].hash == hash && counts(*item) && NameOf()(*item) == name) return item;
    }
    return nullptr;
  }

 private:
  struct Slot {
    size_t hash = 0;
    T* item = nullptr;
  };
  static size_t Hash(std::string_view name) { return std::hash<std::string_view>()(name); }

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace hloir
#pragma GCC visibility pop
