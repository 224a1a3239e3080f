// Instructions that are written out as simpler ones before planning, for the plan's kernels to run: map, reductions by
// computations of several ops (argmax and its like), and what expand_ops.h names.
#pragma once

#include <memory>

#include "hloir/module.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

// A module whose entry computation does the same to the same operands; nullptr if the instruction is not expanded.
std::unique_ptr<HloModule> Expand(const HloInstruction& instruction, const KernelTable& kernels);

}  // namespace hloir::cpu
