// Transposes small squares of elements in registers, the core of packing, and blocks of them. Internal linkage, as
// instruction sets' own files include it too (why: isa/isas.def).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/functors.h"

namespace hloir::cpu {
namespace {

// The elements of a side: as many as a row of 16 bytes, or of `bytes`, holds.
template <class T, int bytes = 16>
constexpr int kSquareSide = bytes / sizeof(T);

// The elements of two rows by turns, from `first` on.
template <int first, class V, size_t... k>
inline V Interleave(V a, V b, std::index_sequence<k...>) {
  constexpr int n = sizeof...(k);
  return __builtin_shufflevector(a, b, (first + static_cast<int>(k) / 2 + static_cast<int>(k) % 2 * n)...);
}

// Of kSquareSide<T> elements, of which the same number are a square.
template <class T, int bytes = 16>
struct SquareRow {
  typedef Unsigned<T> V __attribute__((vector_size(bytes)));
};
template <class T, int bytes = 16>
inline void TransposeRows(typename SquareRow<T, bytes>::V* now) {  // kSquareSide<T, bytes> rows
  constexpr int n = kSquareSide<T, bytes>;
  constexpr std::make_index_sequence<n> kAll;
  // Each round turns the bits of (row, column) by one place. Unrolled: else the vectors lie in memory between them.
  typename SquareRow<T, bytes>::V next[n];
#pragma GCC unroll 4
  for (int side = n; side > 1; side /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      next[2 * i] = Interleave<0>(now[i], now[i + n / 2], kAll);
      next[2 * i + 1] = Interleave<n / 2>(now[i], now[i + n / 2], kAll);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) now[i] = next[i];
  }
}

// Neighbours from each of kSquareSide<T, bytes> rows, to where the rows' first ones lie side by side, then their second
// ones, `stride` elements further on. row(k): the first element of row k, at any address.
template <class T, int bytes, class Row>
inline void TransposeSquareOf(Row row, T* to, int64_t stride) {
  constexpr int n = kSquareSide<T, bytes>;
  typename SquareRow<T, bytes>::V now[n];
#pragma GCC unroll 16
  for (int k = 0; k < n; ++k) __builtin_memcpy(&now[k], row(k), sizeof(now[k]));
  TransposeRows<T, bytes>(now);
#pragma GCC unroll 16
  for (int k = 0; k < n; ++k) __builtin_memcpy(to + k * stride, &now[k], sizeof(now[k]));
}
template <class T>
inline void TransposeSquare(const T* const (&rows)[kSquareSide<T>], T* to, int64_t stride) {
  TransposeSquareOf<T, 16>([&](int k) { return rows[k]; }, to, stride);
}

// to[c · to_row + r] = from[r · from_row + c], where rows may go backward. Squares at an edge overlap the ones before.
// Rows of `from` are read one after the other or, with `writes_rows`, those of `to` are written so: of the array that
// is not in the cache, which few whole rows may fit.
template <class T, int bytes = 16>
void TransposeBlock(const T* from, int64_t from_row, int64_t rows, int64_t columns, T* to, int64_t to_row,
                    bool writes_rows = false) {
  constexpr int64_t kSide = kSquareSide<T, bytes>;
  if (rows < kSide || columns < kSide) {
    if constexpr (bytes > 16) return TransposeBlock<T>(from, from_row, rows, columns, to, to_row, writes_rows);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) to[c * to_row + r] = from[r * from_row + c];
    return;
  }
  const auto turn = [=](int64_t r, int64_t c) {
    const T* square = from + r * from_row + c;
    TransposeSquareOf<T, bytes>([=](int k) { return square + k * from_row; }, to + c * to_row + r, to_row);
  };
  const int64_t last_row = rows - kSide, last_column = columns - kSide;
  if (!writes_rows) {
    for (int64_t r = 0; r < rows; r += kSide)
      for (int64_t c = 0; c < columns; c += kSide) turn(std::min(r, last_row), std::min(c, last_column));
  } else {
    for (int64_t c = 0; c < columns; c += kSide)
      for (int64_t r = 0; r < rows; r += kSide) turn(std::min(r, last_row), std::min(c, last_column));
  }
}

}  // namespace
}  // namespace hloir::cpu
