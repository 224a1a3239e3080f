// Mix and Scramble: hashes of words. Mix adds a word to a hash; Scramble spreads the bits of one word. Not resistant to
// adversaries; tables compare their keys. The parser hashes names by HashBytes (parser/lexer.h), which reads 16 bytes
// at a time.
#pragma once

#include <cstdint>

namespace hloir {

// 2^64 divided by the golden ratio, odd: multiples of it are spread evenly over 64 bits.
inline constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15u;

// Adds a word to `hash`, which may be a plain word; Mix(a, b) != Mix(b, a). Shifts the high bits, which a product mixes
// best, down to the bits that tables use.
inline uint64_t Mix(uint64_t hash, uint64_t word) {
  hash = (hash * 0xD1342543DE82EF95u ^ word) * kGoldenRatio;
  return hash ^ hash >> 29;
}

// SplitMix64's output function: each bit of `x` changes about half of the result's. A bijection with Scramble(0) == 0.
inline uint64_t Scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace hloir
