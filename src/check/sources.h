// The instructions that a part of a module's result depends on.
#pragma once

#include <unordered_set>

#include "hloir/check.h"
#include "hloir/module.h"

namespace hloir::check {

// The instructions that a leaf of the result in which `seen` does not agree may depend on; of all leaves if there is no
// such leaf.
std::unordered_set<const HloInstruction*> SourcesOf(const HloModule& module, const Comparison& seen);

// As if the results differed in this leaf alone.
Comparison OnlyLeaf(Comparison seen, size_t leaf);

}  // namespace hloir::check
