// The parts of a loop's state that matter, and whether they ever change.
#pragma once

#include "hloir/instruction.h"

namespace hloir::reference {

// True if the body returns unchanged each part of the state that a result, the condition, or another such part depends
// on. Such a loop ends before its first iteration or never.
bool BodyChangesNothing(const HloInstruction& loop);

}  // namespace hloir::reference
