// The loops of move_table.h. Everything has internal linkage (why: isa/isas.def). Tests:
// tests/unit/loop_chains_test.cc, "operands in short runs".
#pragma once

#include "kernels/move_table.h"
#include "kernels/transpose_square.h"

namespace hloir::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kWidestMove = 64;
#elif defined(__AVX2__)
constexpr int kWidestMove = 32;
#else
constexpr int kWidestMove = 16;
#endif

template <int bytes>
inline void MoveBytes(const char* from, char* to) {
  typedef uint64_t V __attribute__((vector_size(bytes)));
  V v;
  __builtin_memcpy(&v, from, bytes);
  __builtin_memcpy(to, &v, bytes);
}
// In whole vectors, `n` a run, the last of which goes beyond its end: all runs but the last, which the caller copies.
// So few instructions let the processor be far ahead with the next runs' loads.
template <int n>
inline void CopyVectors(const char* from, int64_t rows, int64_t row, int64_t bytes, char* to) {
  for (int64_t r = 0; r + 1 < rows; ++r, from += row, to += bytes) {
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) MoveBytes<kWidestMove>(from + k * kWidestMove, to + k * kWidestMove);
  }
}
// The last vector overlaps the one before.
inline void CopyRun(const char* from, int64_t bytes, char* to) {
  int64_t i = 0;
  for (; i + kWidestMove <= bytes; i += kWidestMove) MoveBytes<kWidestMove>(from + i, to + i);
  if (i == bytes) return;
  if constexpr (kWidestMove > 32) {
    if (bytes > 64) return MoveBytes<kWidestMove>(from + bytes - kWidestMove, to + bytes - kWidestMove);
  }
  if constexpr (kWidestMove > 16) {
    if (bytes >= 32) {
      if (i == 0) MoveBytes<32>(from, to);
      return MoveBytes<32>(from + bytes - 32, to + bytes - 32);
    }
  }
  if (i == 0) MoveBytes<16>(from, to);
  MoveBytes<16>(from + bytes - 16, to + bytes - 16);
}
void CopyRuns(const void* from_data, int64_t rows, int64_t row, int64_t bytes, void* to_data) {
  const char* from = static_cast<const char*>(from_data);
  char* to = static_cast<char*>(to_data);
  // What a vector reads beyond its run lies before the next run's end, which then writes over it.
  int64_t r = 0;
  if (bytes >= kWidestMove && row >= kWidestMove && rows > 1) {
    r = rows - 1;
    switch ((bytes + kWidestMove - 1) / kWidestMove) {
      case 1: CopyVectors<1>(from, rows, row, bytes, to); break;
      case 2: CopyVectors<2>(from, rows, row, bytes, to); break;
      case 3: CopyVectors<3>(from, rows, row, bytes, to); break;
      case 4: CopyVectors<4>(from, rows, row, bytes, to); break;
      case 5: CopyVectors<5>(from, rows, row, bytes, to); break;
      case 6: CopyVectors<6>(from, rows, row, bytes, to); break;
      case 7: CopyVectors<7>(from, rows, row, bytes, to); break;
      case 8: CopyVectors<8>(from, rows, row, bytes, to); break;
      default: r = 0;
    }
    from += r * row, to += r * bytes;
  }
  if (bytes == kLeastRun) {
    for (; r < rows; ++r, from += row, to += bytes) MoveBytes<kLeastRun>(from, to);
  } else {
    for (; r < rows; ++r, from += row, to += bytes) CopyRun(from, bytes, to);
  }
}
template <class T>
void TransposeOf(const void* from_data, int64_t from_row, int64_t rows, int64_t columns, void* to_data,
                 int64_t to_row) {
  // Rows of 64 bytes, which take all registers, are no faster.
  constexpr int kBytes = kWidestMove > 16 && sizeof(T) >= 4 ? 32 : 16;
  constexpr int kSide = kSquareSide<T, kBytes>;
  const T* from = static_cast<const T*>(from_data);
  T* to = static_cast<T*>(to_data);
  if (rows < kSide || columns < kSide) return TransposeBlock<T>(from, from_row, rows, columns, to, to_row);
  for (int64_t next_row = 0; next_row < rows; next_row += kSide) {
    const int64_t r = next_row + kSide <= rows ? next_row : rows - kSide;
    for (int64_t next_column = 0; next_column < columns; next_column += kSide) {
      const int64_t c = next_column + kSide <= columns ? next_column : columns - kSide;
      const T* square = from + r * from_row + c;
      T* turned = to + c * to_row + r;
      typename SquareRow<T, kBytes>::V now[kSide];
#pragma GCC unroll 16
      for (int k = 0; k < kSide; ++k) __builtin_memcpy(&now[k], square + k * from_row, kBytes);
      TransposeRows<T, kBytes>(now);
#pragma GCC unroll 16
      for (int k = 0; k < kSide; ++k) __builtin_memcpy(turned + k * to_row, &now[k], kBytes);
    }
  }
}

constexpr MoveTable kMoves = {
    &CopyRuns, {&TransposeOf<uint8_t>, &TransposeOf<uint16_t>, &TransposeOf<uint32_t>, &TransposeOf<uint64_t>}};

}  // namespace
}  // namespace hloir::cpu
