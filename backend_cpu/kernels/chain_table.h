// ChainTable: the links of chains of tile ops, for one instruction set. A chain is a list of elementwise ops of which
// each takes the result of the one before it. Run op by op, each result goes to memory and back; as links, a block of
// elements goes through all of them in vector registers. Plain data, as kernel_table.h.
//
// A link is a TileOp whose kernel is one of these. Each runs the link that follows its own in memory, with the block in
// registers; so only
// the first may be called, as a ChainStart. Results are the tile kernels' own, bit for bit.
#pragma once

#include "kernels/kernel_table.h"

namespace hloir::cpu {

// Runs the links from `first` on for the block that begins at element i.
using ChainStart = void (*)(const TileOp* first, int64_t i);

// Signed integers also serve those without a sign, where it does not matter. Blocks of types of one size are one thing.
enum class ChainType : uint8_t { kF32, kF64, kS32, kS64, kS8, kS16, kC64 };
inline constexpr int kChainTypes = 7;
// The form of an operand in memory. Narrow floats are widened to f32.
enum class ChainOperand : uint8_t { kVector, kScalar, kBf16, kF16 };
inline constexpr int kChainOperands = 4;
// The form of a stored result: the block itself, or one byte for each element of a mask, or a narrow float; or the
// block past the caches, as kernel_table.h's `stream`.
enum class ChainResult : uint8_t { kVector, kPred, kBf16, kF16, kStreamed };
inline constexpr int kChainResults = 5;
// A link may do two operations, so that the first result stays in registers: these within those.
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
  // The first link. in[0]: where the block comes from. Never of a scalar.
  TileKernel load[kChainTypes][kChainOperands];
  TileKernel unary[static_cast<int>(UnaryOp::kCount)][kChainTypes];
  TileKernel to_f32;                // from s32
  TileKernel of_mask[kChainTypes];  // 1 where it is set, else 0
  // in[0]: the other operand; last index: 0 if the block is the first one. Comparisons leave a mask.
  TileKernel binary[static_cast<int>(BinaryOp::kCount)][kChainTypes][kChainOperands][2];
  // Of the block and (x inner in[1]), where in[1] is a scalar and x is in[0] or, by the last index, the block itself;
  // the index before: whether the block is the second operand.
  TileKernel nested[6][6][kChainTypes][2][2];  // outer, inner
  TileKernel square[kChainTypes];              // the block alone
  // Of floats: the block times in[0], plus in[1], each rounded; indices: whether these are scalars. And two steps of a
  // polynomial, (block * x + a) * x + b: in[0] is x, in[1] and in[2] are the scalars a and b.
  TileKernel multiply_add[kChainTypes][2][2], polynomial[kChainTypes];
  TileKernel rotate;  // of s32: (block << in[0]) | (block >> in[1]), scalars
  // Of a mask: in[0] where it is set, else in[1]. By which of them are scalars.
  TileKernel select[kChainTypes][kOperandModes];
  // Of two values by a mask in memory, in[0], of bytes. in[1]: the other value; indices: whether the block is taken
  // where the mask is not set; whether the other is a scalar.
  TileKernel select_by[kChainTypes][2][2];
  // The same by a comparison, in[0] with in[1], which is a scalar or not; in[2]: the other value. Indices: direction,
  // as from BinaryOp::kEq; whether in[1] is a scalar; as select_by.
  TileKernel select_if[6][kChainTypes][2][2][2];
  // out: where to. Last index: 1 for the last link.
  TileKernel store[kChainTypes][kChainResults][2];
};

}  // namespace hloir::cpu
