// Computing in another element type than the module says: for passes that do away with one.
#pragma once

#include "hloir/module.h"
#include "hloir/rewriter.h"

namespace hloir {

// What the instruction does, in `to` where it has `from`: operands are converted, and the result, an array, is converted back.
// The new instructions stand in front of it; gives the one that may take its place. It must call no computation.
HloInstruction* ComputeIn(HloInstruction* i, PrimitiveType from, PrimitiveType to);
// How far that may change results.
MathMode ClassOfComputingIn(const HloInstruction& i, PrimitiveType from, PrimitiveType to);

}  // namespace hloir
