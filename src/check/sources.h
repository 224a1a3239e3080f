// The instructions that a part of a module's result depends on.
#pragma once

#include <unordered_set>

#include "hloir/check.h"
#include "hloir/module.h"

namespace hloir::check {

// The instructions that the differing leaves of `seen` may depend on; of all leaves if none differs.
std::unordered_set<const HloInstruction*> SourcesOf(const HloModule& module, const Comparison& seen);

// A copy of `seen` in which only this leaf differs.
Comparison OnlyLeaf(Comparison seen, size_t leaf);

}  // namespace hloir::check
