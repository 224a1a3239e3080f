// A hash table of ids whose keys are elsewhere, in the caller's table by id. Open addressing, as most look-ups find
// nothing and most ids are erased again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hloir::equivalence::inside {

class IdTable {
 public:
  // The id with this hash for which equal(id) holds; -1 if there is none.
  template <class Equal>
  int32_t Find(uint64_t hash, Equal equal) const {
    if (entries_.empty()) return kFree;
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Entry& entry = entries_[at];
      if (entry.id == kFree) return kFree;
      if (entry.hash == hash && entry.id != kErased && equal(entry.id)) return entry.id;
    }
  }
  // The id must not be in the table.
  void Insert(uint64_t hash, int32_t id) {
    if (taken_ * 3 >= entries_.size() * 2) Grow();
    size_t at = hash & mask();
    while (entries_[at].id >= 0) at = (at + 1) & mask();
    taken_ += entries_[at].id == kFree;
    entries_[at] = {hash, id};
    ++count_;
  }
  // The id must be in the table.
  void Erase(uint64_t hash, int32_t id) {
    size_t at = hash & mask();
    while (entries_[at].id != id) at = (at + 1) & mask();
    entries_[at].id = kErased;
    --count_;
  }

 private:
  static constexpr int32_t kFree = -1, kErased = -2;
  struct Entry {
    uint64_t hash = 0;
    int32_t id = kFree;
  };
  size_t mask() const { return entries_.size() - 1; }
  void Grow() {
    size_t size = 64;
    while (size < 3 * count_) size *= 2;
    std::vector<Entry> old(size);
    old.swap(entries_);
    taken_ = count_ = 0;
    for (const Entry& entry : old)
      if (entry.id >= 0) Insert(entry.hash, entry.id);
  }

  std::vector<Entry> entries_;
  size_t taken_ = 0, count_ = 0;  // erased ones included, and not
};

}  // namespace hloir::equivalence::inside
