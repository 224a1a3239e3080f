// Expansions of instructions to simpler ones that have kernels: map, reductions by computations of several ops (argmax
// and the like), and those of expand_ops.h.
#pragma once

#include <memory>

#include "hloir/module.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

// A module whose entry computation is equivalent to the instruction; nullptr if it is not expanded.
std::unique_ptr<HloModule> Expand(const HloInstruction& instruction, const KernelTable& kernels);

}  // namespace hloir::cpu
