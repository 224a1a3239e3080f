// FlatMap: a hash table in one block, for maps of a text's many names and values. Entries are never removed. An empty
// key (a null pointer, or a view of null) is none. Tested by all that
// reads text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "lexer.h"
#include "support/hash.h"

namespace hloir {

inline size_t HashOfKey(const void* key) { return static_cast<size_t>(Scramble(reinterpret_cast<uintptr_t>(key))); }
inline size_t HashOfKey(std::string_view key) { return HashBytes(key.data(), key.size()); }
inline bool IsNone(const void* key) { return key == nullptr; }
inline bool IsNone(std::string_view key) { return key.data() == nullptr; }

template <class Key, class Value>
class FlatMap {
 public:
  // Null if there is no such entry.
  const Value* Find(Key key) const {
    if (count_ == 0) return nullptr;
    const Entry& entry = entries_[Place(key)];
    return IsNone(entry.first) ? nullptr : &entry.second;
  }
  Value& operator[](Key key) {
    if (2 * (count_ + 1) > entries_.size()) Grow();
    Entry& entry = entries_[Place(key)];
    if (IsNone(entry.first)) entry.first = key, ++count_;
    return entry.second;
  }

 private:
  using Entry = std::pair<Key, Value>;
  size_t Place(Key key) const {
    size_t place = HashOfKey(key) & (entries_.size() - 1);
    while (!IsNone(entries_[place].first) && entries_[place].first != key) place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  void Grow() {
    constexpr size_t kLeast = 16;
    std::vector<Entry> old(entries_.empty() ? kLeast : 4 * entries_.size());
    old.swap(entries_);
    for (Entry& entry : old)
      if (!IsNone(entry.first)) entries_[Place(entry.first)] = std::move(entry);
  }

  std::vector<Entry> entries_;  // a power of two, at least half of them empty
  size_t count_ = 0;
};

}  // namespace hloir
