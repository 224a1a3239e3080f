// The kernels for an instruction: tile types, operations, loads along views.
#pragma once

#include <optional>

#include "hloir/instruction.h"
#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// The tile that holds values of a type: bf16 and f16 are computed in f32. False if tiles cannot hold it.
bool TileTypeFor(PrimitiveType type, TileType* tile);
int TileBytes(TileType type);
inline int Log2Bytes(int64_t bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4; }
std::optional<NarrowFloat> Narrow(PrimitiveType type);
std::optional<UnaryOp> UnaryOpFor(HloOpcode opcode);
std::optional<BinaryOp> BinaryOpFor(HloOpcode opcode);
std::optional<BinaryOp> CompareOpFor(const HloInstruction& instruction);
// Results of these on narrow floats need no rounding.
bool KeepsPrecision(HloOpcode opcode);
// Rough nanoseconds for one element.
double CostOf(HloOpcode opcode);

// True if a fused loop can compute this elementwise instruction.
bool LoopSupports(const HloInstruction& instruction, const KernelTable& kernels);
// The reduction's shape; false if its dimensions are not adjacent.
bool ReduceShapeOf(const HloInstruction& reduce, ReduceShape* shape);
// True if a fused loop can compute this reduction; sets its shape.
bool LoopSupportsReduce(const HloInstruction& instruction, const KernelTable& kernels, ReduceShape* shape);

// The operation of a reduction, if its computation is a plain binary op.
std::optional<BinaryOp> ReducerOp(const HloComputation& computation);
// The kernel for tiles, if the computation of two scalars is a plain binary operation; else nullptr.
TileKernel ReducerKernel(const HloComputation& computation, PrimitiveType type, const KernelTable& kernels);
// The same for single elements at given places: KernelTable::combine_at.
TileKernel ScatterKernel(const HloComputation& computation, PrimitiveType type, PrimitiveType places);

// Loads along any view (op.aux): in[0] is the array, or the first number; in[1] the tile's first element in the loop's
// order.
TileKernel LoadKernel(int64_t bytes, Isa isa);
// Loads an operand in runs: see kernel_table.h.
TileKernel LoadRunsKernel(int64_t bytes, Isa isa);
// True if LoadKernel transposes a collapsed view in squares: short rows, several of which are in a tile.
bool LoadsTransposed(const View& view);
TileKernel IotaAlongViewKernel(TileType type);

}  // namespace hloir::cpu
