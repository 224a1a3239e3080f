// MoveTable: loops that copy runs of elements, and transpose blocks of them, in vectors as wide as an instruction
// set's.
#pragma once

#include "kernels/kernel_table.h"

namespace hloir::cpu {

inline constexpr int64_t kLeastRun = 16;  // bytes

struct MoveTable {
  // Copies runs of `bytes`, at least kLeastRun, which are `row` bytes apart, to where they lie side by side.
  void (*copy_runs)(const void* from, int64_t rows, int64_t row, int64_t bytes, void* to);
  // As TransposeBlock (transpose_square.h), by log2 of the element's bytes.
  void (*transpose[4])(const void* from, int64_t from_row, int64_t rows, int64_t columns, void* to, int64_t to_row);
};

const MoveTable& PlainMoves();
#if defined(__x86_64__)
// In isa/*_moves.cc: call them only on machines with the set.
const MoveTable& Avx2Moves();
const MoveTable& Avx512Moves();
#endif

}  // namespace hloir::cpu
