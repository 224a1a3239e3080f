// Reading of indices that are known only at run time, for dynamic slices, gather and scatter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hloir/instruction.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

// The i-th element of an array of integers; larger numbers are clamped to int64.
int64_t ReadIndex(PrimitiveType type, const std::byte* data, int64_t i);
// The type of an instruction's indices, if it has any, and the number of their first operand.
PrimitiveType IndexType(const HloInstruction& instruction, int64_t first);

// The kernel of a scalar loop that moves one element; nullptr if there is none for these sizes.
TileKernel MoveOneKernel(MoveOne move, PrimitiveType index_type, int64_t bytes);

}  // namespace hloir::cpu
