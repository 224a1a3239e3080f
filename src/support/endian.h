// Byte order. Numbers in files are little-endian on every machine; in a bitcast between widths the first narrow element
// is the low bits. Tests: those of proto, literals and bitcasts, on a big-endian machine (scripts/test-cross s390x).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace hloir {

inline constexpr bool kBigEndian = std::endian::native == std::endian::big;

// Copies `size` bytes of numbers, each of `width` bytes, between little-endian storage and memory, in either direction.
inline void CopyLittleEndian(void* to, const void* from, size_t size, size_t width) {
  if (size == 0) return;
  std::memcpy(to, from, size);
  if constexpr (kBigEndian) {
    char* bytes = static_cast<char*>(to);
    for (size_t i = 0; width > 1 && i + width <= size; i += width) std::reverse(bytes + i, bytes + i + width);
  }
}

// The number at the beginning of `bytes`.
template <class T>
T LoadLittleEndian(const void* bytes) {
  static_assert(std::is_arithmetic_v<T>);
  T value;
  CopyLittleEndian(&value, bytes, sizeof(T), sizeof(T));
  return value;
}

}  // namespace hloir
