// Custom-calls that pass operands on: marks for placement and partitioning on one device, and choices that are open.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace hloir {

class HloInstruction;

// Says of its operands how they are sharded, which on one device is nothing: they are its value.
bool IsShardingMark(const HloInstruction& call);

// How many of its operands, from the first on, are its value; 0: it is no such call.
int64_t PassedOnOperands(const HloInstruction& call);

}  // namespace hloir
#pragma GCC visibility pop
