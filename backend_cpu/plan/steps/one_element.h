// The single-element kernel of a tile kernel: the body of a scalar loop consists of these.
#pragma once

#include <vector>

#include "kernels/kernel_table.h"

namespace hloir::cpu {

// `kernel` itself, where there is none. `table` is the one that `kernel` comes from.
TileKernel OneElementKernel(const KernelTable& table, TileKernel kernel);

// Makes a chain of ops on single elements: a call of the first runs all of them in order, which saves a call and a
// return each. Where the compiler does not turn last calls into jumps they nest, so a chain has a limit.
inline constexpr size_t kMaxChain = 1024;
void ChainOps(std::vector<TileOp>& ops);
// An op for such a list: ends the list here unless `flag` is true.
TileOp StopUnless(const bool* flag);

}  // namespace hloir::cpu
