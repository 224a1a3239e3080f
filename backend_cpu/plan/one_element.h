// The kernel that does for one element what a tile kernel does for many: a scalar loop's body is made of these.
#pragma once

#include "kernels/kernel_table.h"

namespace hloir::cpu {

// `kernel` itself, where there is none. `table` is the one that `kernel` comes from.
TileKernel OneElementKernel(const KernelTable& table, TileKernel kernel);

}  // namespace hloir::cpu
