// Merges pads into the slices, windows and select-and-scatters that read them: a padded array has another number of
// elements, and its parts other boundaries, than the array that it is made of. Tested by
// tests/passes/spmd-partitioning.
#pragma once

#include <unordered_set>

#include "hloir/module.h"

namespace hloir::spmd {

// Select-and-scatters whose windows read the extreme of the type outside of the array, instead of leaving it out: the
// two differ where a window has a NaN.
using PaddedByValue = std::unordered_set<const HloInstruction*>;

void MergePads(HloComputation& computation, PaddedByValue& padded);

}  // namespace hloir::spmd
