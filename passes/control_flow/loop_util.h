// Common parts of the loop passes, in addition to hloir/analysis.h: adding elements to the tuple of a while loop,
// removing them, and deciding whether to unroll. Covered by the expectation files of those passes.
#pragma once

#include <vector>

#include "hloir/analysis.h"

namespace hloir {

// A loop that is the only caller of its computations, so that they may be edited (OwnComputation).
void OwnLoopComputations(HloInstruction* loop);
// Adds a last, loop-invariant element with the value `initial`; returns the body's read of it. The loop must be the
// only caller of its computations.
HloInstruction* AddLoopElement(HloInstruction* loop, HloInstruction* initial);
// Removes the elements with `keep` false, which must be unread outside and in the condition, and in the body only used
// for themselves. The loop must be the only caller of its computations, and be read by get-tuple-element.
void RemoveLoopElements(HloInstruction* loop, const std::vector<bool>& keep);

// The get-tuple-element of that element of a loop or of its computations' parameters; nullptr if there is none.
HloInstruction* ReadOf(HloInstruction& tuple, int64_t element);

// True if copies of the body may replace the loop: it has no side effects, and no collective in its condition, which
// would not be copied. The loop is then removed even if its body has collectives (for which IsDead is false), because
// the copies have them.
bool MayBeUnrolled(const HloInstruction& loop);

}  // namespace hloir
