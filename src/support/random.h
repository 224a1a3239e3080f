// Random numbers by integer arithmetic of our own, so that a seed means the same on every machine and with every
// standard library (whose distributions and shuffles differ).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>

namespace hloir {

// SplitMix64: a counter, hashed. The seed is hashed too: else the next seed would give the same numbers, one place on.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(Hash(seed)) {}

  uint64_t Bits() { return Hash(state_ += 0x9E3779B97F4A7C15u); }
  // 0 … n-1; n must be positive.
  int64_t Below(int64_t n) { return static_cast<int64_t>(Bits() % static_cast<uint64_t>(n)); }
  // low … high, both among them.
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool Chance(int64_t percent) { return Below(100) < percent; }
  template <class T>
  T Pick(std::initializer_list<T> list) {
    return list.begin()[Below(static_cast<int64_t>(list.size()))];
  }
  template <class List>
  const auto& From(const List& list) {
    return list[static_cast<size_t>(Below(static_cast<int64_t>(std::size(list))))];
  }
  template <class List>
  void Shuffle(List& list) {
    for (int64_t k = static_cast<int64_t>(list.size()); k > 1; --k)
      std::swap(list[static_cast<size_t>(k - 1)], list[static_cast<size_t>(Below(k))]);
  }

 private:
  static uint64_t Hash(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace hloir
