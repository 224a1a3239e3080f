// Analysis of a loop's live state, to detect loops that do not change it.
#pragma once

#include "hloir/instruction.h"

namespace hloir::reference {

// True if the body returns all live elements of the state unchanged: those on which a result, the condition, or another
// live element depends. Such a loop ends before its first iteration or never.
bool BodyChangesNothing(const HloInstruction& loop);

}  // namespace hloir::reference
