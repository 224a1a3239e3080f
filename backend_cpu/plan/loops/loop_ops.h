// Which tile kernels an instruction becomes: types, operations, loads along views, and whether there is a kernel at
// all.
#pragma once

#include <optional>

#include "plan/loops/fused_loop.h"

namespace hloir::cpu {

int64_t TileBytes(TileType type);
inline int Log2Bytes(int64_t bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4; }
std::optional<NarrowFloat> Narrow(PrimitiveType type);
std::optional<UnaryOp> UnaryOpFor(HloOpcode opcode);
std::optional<BinaryOp> BinaryOpFor(HloOpcode opcode);
std::optional<BinaryOp> CompareOpFor(const HloInstruction& instruction);
// Results of these on narrow floats need no rounding.
bool KeepsPrecision(HloOpcode opcode);
// Rough nanoseconds for one element.
double CostOf(HloOpcode opcode);
// The operation of a reduction by a plain binary op, if that is what the computation is.
std::optional<BinaryOp> ReducerOp(const HloComputation& computation);
// The reduction's shape; false if its dimensions are no single run.
bool ReduceShapeOf(const HloInstruction& reduce, ReduceShape* shape);
// Loads along any view (op.aux): in[0] is the array, or the first number; in[1] the tile's first element in the loop's
// order.
TileKernel LoadKernel(int64_t bytes);
TileKernel NumbersKernel(TileType type);

}  // namespace hloir::cpu
