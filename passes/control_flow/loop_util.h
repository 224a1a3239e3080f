// Common parts of the loop passes beside hloir/analysis.h: adding elements to the tuple of a while loop, removing them,
// and deciding whether to unroll. Covered by the expectation files of those passes.
#pragma once

#include <vector>

#include "hloir/analysis.h"

namespace hloir {

// A loop that is the only caller of its computations, so that they may be edited (OwnComputation).
void OwnLoopComputations(HloInstruction* loop);
// A new last element that begins as `initial` and is passed through; gives the body's read of it. The computations must
// be the loop's own.
HloInstruction* AddLoopElement(HloInstruction* loop, HloInstruction* initial);
// Removes elements that are unread outside, in the condition, or in the body but for themselves (`keep` is false).
// The computations must be the loop's own, and the loop read by element.
void RemoveLoopElements(HloInstruction* loop, const std::vector<bool>& keep);

// The get-tuple-element of that element of a loop or of its computations' parameters; nullptr if there is none.
HloInstruction* ReadOf(HloInstruction& tuple, int64_t element);

// Copies of its body may take the loop's place: it has no side effects, and no collective in its condition, of which
// there would be no copy. Then the loop goes even if it takes part in collectives, which IsDead would keep: the copies
// do.
bool MayBeUnrolled(const HloInstruction& loop);

}  // namespace hloir
