// What several passes need: may this instruction go, or stand in another's place, and what must be carried over when it
// does.
#pragma once

#include <vector>

#include "hloir/module.h"

namespace hloir {

// Nobody would miss it, if nobody used it: no side effect, no control edges, no part in an exchange with the outside.
bool MayRemoveIfUnused(const HloInstruction& instruction);
// MayRemoveIfUnused, and indeed nobody uses it. Parameters stay: they are the computation's signature.
bool IsDead(const HloInstruction& instruction);
// Removes it if it is dead, and then each operand that is dead without it.
void RemoveIfDead(HloInstruction* instruction);

// Is `replacement`, which stood there before, as good as `original` for everybody: same shape and layout, and no
// sharding or frontend attribute of the original gets lost?
bool MayTakePlaceOf(const HloInstruction& replacement, const HloInstruction& original);
// A new instruction takes over the original's metadata (if it has none), sharding, frontend attributes and original
// value.
void InheritAnnotations(HloInstruction* replacement, const HloInstruction& original);

// The body of a fusion or of an async operation: what stands in it belongs together, and a pass that rewrites single
// instructions keeps out.
bool IsWrapped(const HloComputation& computation);
// Computations that run as code, once each time they are called: the entry and whatever call, while and conditional
// reach through one another. Not bodies of fusions and async operations, nor reducers, comparators and the like, which
// run once per element. In the module's post-order.
std::vector<HloComputation*> ControlFlowComputations(const HloModule& module);

}  // namespace hloir
