// Indices that are known only while running: how they are read, for dynamic slices, gather and scatter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hloir/instruction.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

// The i-th of an array of integers; numbers past int64 become its largest value.
int64_t ReadIndex(PrimitiveType type, const std::byte* data, int64_t i);
// The type of an instruction's indices, if it has any; they begin with that operand.
PrimitiveType IndexType(const HloInstruction& instruction, int64_t first);

// The kernel of a scalar loop that moves one element; null, if there is none for these sizes.
TileKernel MoveOneKernel(MoveOne move, PrimitiveType index_type, int64_t bytes);

}  // namespace hloir::cpu
