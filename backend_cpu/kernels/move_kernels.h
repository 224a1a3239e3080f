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
  if (bytes == kLeastRun) {
    for (int64_t r = 0; r < rows; ++r, from += row, to += bytes) MoveBytes<kLeastRun>(from, to);
  } else {
    for (int64_t r = 0; r < rows; ++r, from += row, to += bytes) CopyRun(from, bytes, to);
  }
}
template <class T>
void TransposeOf(const void* from, int64_t from_row, int64_t rows, int64_t columns, void* to, int64_t to_row) {
  // Rows of 64 bytes, which take all registers, are no faster.
  constexpr int kBytes = kWidestMove > 16 && sizeof(T) >= 4 ? 32 : 16;
  TransposeBlock<T, kBytes>(static_cast<const T*>(from), from_row, rows, columns, static_cast<T*>(to), to_row);
}

constexpr MoveTable kMoves = {
    &CopyRuns, {&TransposeOf<uint8_t>, &TransposeOf<uint16_t>, &TransposeOf<uint32_t>, &TransposeOf<uint64_t>}};

}  // namespace
}  // namespace hloir::cpu
