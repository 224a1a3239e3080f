// Which parts of a loop's state count, and whether they ever change.
#pragma once

#include "hloir/instruction.h"

namespace hloir::reference {

// Whether the body gives back as it was each part of the state that a result, the condition, or another such part
// depends on. Such a loop ends before its first iteration or never.
bool BodyChangesNothing(const HloInstruction& loop);

}  // namespace hloir::reference
