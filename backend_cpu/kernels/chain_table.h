// ChainTable: the links of chains of tile ops, for one instruction set. A chain is a list of elementwise ops, each of
// which uses the result of the previous one. Run as separate ops, each result goes to memory and back; as links, a
// block of elements passes through all of them in vector registers. Plain data, as kernel_table.h.
//
// A link is a TileOp whose kernel is one of these. Each calls the link that follows in memory, with the block in
// registers; so only the first may be called directly, as a ChainStart. Results equal those of the tile kernels bit for
// bit.
#pragma once

#include "kernels/kernel_table.h"

namespace hloir::cpu {

// Runs the links from `first` on for the block beginning at element i.
using ChainStart = void (*)(const TileOp* first, int64_t i);

// Signed links also implement unsigned operations with the same bits. Blocks of types of one size are interchangeable.
enum class ChainType : uint8_t { kF32, kF64, kS32, kS64, kS8, kS16, kC64 };
inline constexpr int kChainTypes = 7;
// The form of an operand in memory. Narrow floats are widened to f32. Runs are those of kernel_table.h. Of kPred,
// bytes, the block becomes a mask.
enum class ChainOperand : uint8_t { kVector, kScalar, kBf16, kF16, kRuns, kPred };
inline constexpr int kChainOperands = 6;
// The form of a stored result: the block itself, or one byte for each element of a mask, or a narrow float; or the
// block past the caches, as kernel_table.h's `stream`.
enum class ChainResult : uint8_t { kVector, kPred, kBf16, kF16, kStreamed };
inline constexpr int kChainResults = 5;
// A link may combine two operations, an inner one from this list and an outer one, with the first result in registers.
inline constexpr BinaryOp kInnerOps[] = {BinaryOp::kAdd,
                                         BinaryOp::kSubtract,
                                         BinaryOp::kMultiply,
                                         BinaryOp::kShiftLeft,
                                         BinaryOp::kShiftRightArithmetic,
                                         BinaryOp::kShiftRightLogical};
inline constexpr BinaryOp kOuterOps[] = {BinaryOp::kAdd, BinaryOp::kSubtract, BinaryOp::kMultiply,
                                         BinaryOp::kAnd, BinaryOp::kOr,       BinaryOp::kXor};

struct ChainTable {
  int64_t elements[kChainTypes];  // a block's
  // The first link. in[0]: the source of the block. Never a scalar; alone this takes runs and bytes.
  TileKernel load[kChainTypes][kChainOperands];
  // A load of in[1] and the `binary` link of a scalar after it, for f32, by the first three of kOuterOps. Not of
  // vectors of 16 bytes.
  TileKernel begin[3][2];
  TileKernel unary[static_cast<int>(UnaryOp::kCount)][kChainTypes];
  TileKernel to_f32;                // from s32
  TileKernel of_mask[kChainTypes];  // 1 where it is set, else 0
  // in[0]: the other operand; last index: 0 if the block is the first one. Comparisons leave a mask.
  TileKernel binary[static_cast<int>(BinaryOp::kCount)][kChainTypes][kChainOperands][2];
  // Combines the block and (x inner in[1]), with a scalar in[1] and x = in[0] or, by the last index, the block itself;
  // by the index before, the block is the second operand.
  TileKernel nested[6][6][kChainTypes][2][2];  // outer, inner
  TileKernel square[kChainTypes];              // the block alone
  // By the index in kOuterOps: combines the block and in[0] as `binary` does, with the result in memory alone: the
  // block stays. Null where `keep` does as well or better.
  TileKernel aside[6][kChainTypes][2][2];
  // For floats: the block times in[0], plus in[1], each rounded; the indices select scalars. And two steps of a
  // polynomial, (block * x + a) * x + b: in[0] is x, in[1] and in[2] are the scalars a and b.
  TileKernel multiply_add[kChainTypes][2][2], polynomial[kChainTypes];
  TileKernel rotate;  // for s32: (block << in[0]) | (block >> in[1]), scalars
  TileKernel mix;     // for s32: in[0] plus the block goes to memory; the block, rotated by in[1] and in[2], xor that
  TileKernel spread;  // for s32: the block times the scalar in[2], xor that shifted to the right by the scalar in[1]
  TileKernel beside;  // for s32: in[0] plus the scalar in[1] goes to memory; the block stays
  // For a mask: in[0] where it is set, otherwise in[1]. Indexed by which are scalars.
  TileKernel select[kChainTypes][kOperandModes];
  // Selects between two values by a mask in memory, in[0], of bytes. in[1]: the other value. Indices: 1 if the block is
  // selected where the mask is not set; 1 if the other value is a scalar.
  TileKernel select_by[kChainTypes][2][2];
  // The same by a comparison of in[0] with in[1]; in[2]: the other value. Indices: the direction, from BinaryOp::kEq
  // on; 1 if in[1] is a scalar; as select_by.
  TileKernel select_if[6][kChainTypes][2][2][2];
  // For f32, with a scalar in[1] and the product of in[0] and in[2] as the other value. Indices: the direction; whether
  // the block is selected where the mask is not set. Not of vectors of 16 bytes.
  TileKernel select_product_if[6][2];
  // Two blocks at once: `keep` keeps the block in further registers and begins another one, as `load`; the links below
  // combine this with the kept one as `binary`, `select_by` and `select_if` do with one in memory. Links of whole
  // functions may overwrite what is kept. Null without registers for it: see kept_block.h.
  TileKernel keep[kChainTypes][kChainOperands];
  // Keeps the block combined with in[0] as `aside` does, by the first three of kOuterOps; the block stays.
  TileKernel keep_result[3][kChainTypes][2][2];
  TileKernel binary_kept[static_cast<int>(BinaryOp::kCount)][kChainTypes][2];
  TileKernel select_by_kept[kChainTypes][2], select_if_kept[6][kChainTypes][2][2];
  // out: the destination. Last index: 1 for the last link.
  TileKernel store[kChainTypes][kChainResults][2];
};

}  // namespace hloir::cpu
