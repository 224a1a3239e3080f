// Samples: the inputs that ulp_sweep tries where not all can be tried, each by its number, from the hard ones to random
// bits. In turn: all edges (and pairs of them); neighbours of the multiples of pi/2, of 1, and of where results
// overflow or underflow; a grid of all exponents and some mantissas; numbers at random around 1; bits at random. No
// state: any part of them may be taken alone.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace hloir::sweep {

inline uint64_t Scramble(uint64_t z) {
  z = (z + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

template <class T>
class Samples {
 public:
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  using Limits = std::numeric_limits<T>;

  Samples(int arity, uint64_t random, uint64_t seed) : seed_(seed << 40) {
    MakeEdges();
    MakeGrid(arity);
    const uint64_t edges = edges_.size(), grid = grid_.size();
    if (arity == 1) counts_[kEdges] = edges, counts_[kNear] = kNearCount, counts_[kGrid] = grid;
    else counts_[kEdges] = edges * edges, counts_[kNear] = 2 * kNearCount, counts_[kGrid] = grid * grid;
    counts_[kAroundOne] = random, counts_[kRandom] = random;
  }
  uint64_t count() const {
    uint64_t sum = 0;
    for (uint64_t count : counts_) sum += count;
    return sum;
  }
  void Get(uint64_t number, bool pair, T& x, T& y) const {
    int part = kEdges;
    while (part < kRandom && number >= counts_[part]) number -= counts_[part++];
    const uint64_t a = Scramble(number ^ seed_), b = Scramble(~number ^ seed_);
    x = FromBits(a), y = FromBits(b);
    switch (part) {
      case kEdges:
        x = edges_[number % edges_.size()];
        if (pair) y = edges_[number / edges_.size()];
        break;
      case kNear:
        if (!pair) x = Near(number, a);
        else NearPair(number, a, b, x, y);
        break;
      case kGrid:
        x = grid_[number % grid_.size()];
        if (pair) y = grid_[number / grid_.size()];
        break;
      case kAroundOne:  // where functions change, 2^-40 to 2^12; of pairs within a few powers of two
        x = Scaled(a, pair ? static_cast<int>(b % 16) - 8 : static_cast<int>(b % 53) - 40);
        y = Scaled(b, static_cast<int>(a % 16) - 8);
        break;
    }
  }

 private:
  enum Part { kEdges, kNear, kGrid, kAroundOne, kRandom, kParts };
  static constexpr uint64_t kNearCount = 1 << 21;
  // Where some function's result leaves the type's range, is 1 for the first time, or changes its formula.
  static constexpr double kBounds[] = {709.782712893384,
                                       745.1332191019412,
                                       708.3964185322641,
                                       710.4758600739439,
                                       36.7368005696771,
                                       37.42994775023705,
                                       19.0615474653984,
                                       22.0,
                                       0.5493061443340548,
                                       88.72283905206835,
                                       103.97207708399179,
                                       87.33654475055310,
                                       89.41598629223294,
                                       16.635532333438686,
                                       17.32867951399863,
                                       9.010913347279288,
                                       0.34657359027997264,
                                       0.6931471805599453,
                                       0.40546510810816444,
                                       0.41421356237309503,
                                       1.4142135623730951,
                                       0.7071067811865476,
                                       0.5,
                                       0.84375,
                                       1.25,
                                       2.857142857142857,
                                       5.921587195794507,
                                       3.832506856900711,
                                       27.2,
                                       0.625,
                                       1.5707963267948966,
                                       0.7853981633974483,
                                       5.0,
                                       2.0,
                                       1e16,
                                       1e22,
                                       2.0e9};

  static T FromBits(uint64_t bits) { return std::bit_cast<T>(static_cast<Bits>(sizeof(T) == 4 ? bits >> 32 : bits)); }
  // Mantissa and sign of these bits, with another exponent.
  static T Scaled(uint64_t bits, int exponent) {
    const T value = static_cast<T>(1 + std::ldexp(static_cast<double>(bits >> 12), -52));
    return std::ldexp(bits & 1 ? -value : value, exponent);
  }
  static T Neighbour(T x, int64_t steps) {
    return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(x) + static_cast<Bits>(steps)));
  }

  void MakeEdges() {
    std::vector<T> positive{T(0), Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::infinity(),
                            Limits::quiet_NaN()};
    auto around = [&](T x) {
      for (int i = -2; i <= 2; ++i) positive.push_back(Neighbour(x, i));
    };
    around(Limits::min());
    positive.push_back(Limits::max()), positive.push_back(Neighbour(Limits::max(), -1));
    around(T(1));
    for (int i = 1; i <= 64; ++i) around(T(i)), positive.push_back(T(i) - T(0.5));
    for (double bound : kBounds) around(static_cast<T>(bound));
    const int step = sizeof(T) == 4 ? 1 : 8;
    for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; e += step)
      positive.push_back(std::ldexp(T(1), e));
    // Whole numbers of both parities where there are no others, or no odd ones, any more.
    for (int e = Limits::digits - 2; e <= Limits::digits + 1; ++e) around(std::ldexp(T(1), e));
    for (T x : positive) edges_.push_back(x), edges_.push_back(-x);
  }

  void MakeGrid(int arity) {
    const int exponents = Limits::max_exponent - Limits::min_exponent + 2;  // and the subnormal numbers
    const int step = arity == 1 || sizeof(T) == 4 ? 1 : 8, mantissas = arity == 1 ? 256 : sizeof(T) == 4 ? 4 : 6;
    const Bits ones = (Bits{1} << (Limits::digits - 1)) - 1;
    for (int e = 0; e < exponents; e += step) {
      for (int m = 0; m < mantissas; ++m) {
        const Bits mantissa = m == 0   ? 0
                              : m == 1 ? ones
                                       : static_cast<Bits>(Scramble(static_cast<uint64_t>(e * 1000 + m)) >> 8) & ones;
        const T x = std::bit_cast<T>(static_cast<Bits>(static_cast<Bits>(e) << (Limits::digits - 1) | mantissa));
        grid_.push_back(x), grid_.push_back(-x);
      }
    }
  }

  T Near(uint64_t number, uint64_t random) const {
    const T sign = random & 1 ? T(-1) : T(1);
    const int64_t steps = static_cast<int64_t>(random >> 1 & 7) - 3;
    const uint64_t i = number / 4;
    constexpr long double kHalfPi = 1.57079632679489661923132169163975144L;
    switch (number % 4) {
      case 0: {  // multiples of pi/2: all small ones, then some of every size
        const uint64_t multiple = i < kNearCount / 8 ? i : Scramble(i) >> (i % 60);
        return sign * Neighbour(static_cast<T>(static_cast<long double>(multiple) * kHalfPi), steps);
      }
      case 1:  // 1, by units in the last place, then by powers of two
        if (i < kNearCount / 8)
          return sign * Neighbour(T(1), static_cast<int64_t>(i) - static_cast<int64_t>(kNearCount / 16));
        return sign * (1 + std::ldexp(Scaled(Scramble(i), 0), -static_cast<int>(i % Limits::digits)));
      case 2: {
        const double bound = kBounds[i % std::size(kBounds)];
        const int64_t away =
            static_cast<int64_t>(i / std::size(kBounds)) - static_cast<int64_t>(kNearCount / 8 / std::size(kBounds));
        // Close by, and in steps that grow to some hundredths of it.
        return sign * (i & 1024 ? Neighbour(static_cast<T>(bound), away)
                                : static_cast<T>(bound * (1 + std::ldexp(static_cast<double>(away), -18))));
      }
      default:  // subnormal numbers and the first normal ones
        return sign * std::bit_cast<T>(static_cast<Bits>(Scramble(i) >> (sizeof(T) == 4 ? 40 : 11 + i % 53)));
    }
  }

  void NearPair(uint64_t number, uint64_t a, uint64_t b, T& x, T& y) const {
    const uint64_t kind = number % 4;
    if (kind < 3) {
      // Powers at the ends of the range, and next to 1: y·log2(x) is `goal`.
      constexpr int kGoals[] = {Limits::max_exponent, Limits::min_exponent, Limits::min_exponent - Limits::digits, 0};
      x = kind == 0 ? Neighbour(T(1), static_cast<int64_t>(a >> 44) - (1 << 19))
                    : std::abs(Scaled(a, kind == 1 ? 0 : static_cast<int>(b % 16) - 8));
      const double away =
          std::ldexp(static_cast<double>(static_cast<int64_t>(b) >> 11), -52 - static_cast<int>(a % 24)) * 4;
      const long double logarithm = std::log2(static_cast<long double>(x));
      if (logarithm != 0) y = static_cast<T>((kGoals[number / 4 % 4] + away) / logarithm);
      else y = Scaled(b, static_cast<int>(a % 64));
    } else {
      // Angles: nearly equal operands, and very different ones.
      x = Scaled(a, static_cast<int>(b % 200) - 100);
      y = number & 4 ? Neighbour(b & 1 ? -x : x, static_cast<int64_t>(b >> 40) - (1 << 23))
                     : std::ldexp(Scaled(b, 0), static_cast<int>(a >> 20 & 255) - 128);
    }
  }

  const uint64_t seed_;
  std::vector<T> edges_, grid_;
  uint64_t counts_[kParts] = {};
};

}  // namespace hloir::sweep
