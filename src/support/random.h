// Random numbers with the same values for a seed on every machine and with every standard library, whose distributions
// and shuffles differ.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "support/hash.h"

namespace hloir {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): a counter, scrambled.
inline uint64_t NextSplitMix64(uint64_t& state) { return Scramble(state += kGoldenRatio); }

class Random {
 public:
  explicit Random(uint64_t seed) : state_(Scramble(seed)) {}
  // The counter starts at `state` itself, as in published streams of SplitMix64.
  static Random FromState(uint64_t state) {
    Random random(0);
    random.state_ = state;
    return random;
  }

  uint64_t Bits() { return NextSplitMix64(state_); }
  // 0 … n-1; n must be positive.
  int64_t Below(int64_t n) { return static_cast<int64_t>(Bits() % static_cast<uint64_t>(n)); }
  // low … high, both among them.
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool Chance(int64_t percent) { return Below(100) < percent; }
  // At least 0 and less than 1.
  double Uniform() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }
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
  uint64_t state_;
};

}  // namespace hloir
