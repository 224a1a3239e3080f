// The single-element kernel of a tile kernel: the body of a scalar loop consists of these.
#pragma once

#include <vector>

#include "kernels/kernel_table.h"

namespace hloir::cpu {

// `kernel` itself if there is none. `table` is the table of `kernel`.
TileKernel OneElementKernel(const KernelTable& table, TileKernel kernel);

// Makes a chain of ops on single elements: a call of the first runs all of them in order, which saves a call and a
// return each. Without tail-call optimization the calls nest, so a chain has a limit.
inline constexpr size_t kMaxChain = 1024;
void ChainOps(std::vector<TileOp>& ops);
// An op for such a list that ends the list unless `flag` is true.
TileOp StopUnless(const bool* flag);

}  // namespace hloir::cpu
