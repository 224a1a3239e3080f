// Dots of 64-bit integers, which wrap: no kernel multiplies them, so these are plain loops over rows, shared by
// threads.
#pragma once

#include <memory>

#include "plan/run/step.h"
#include "plan/graph/view.h"

namespace hloir::cpu {

// Refs: lhs, rhs; the result. nullptr for other types.
std::unique_ptr<Step> MakeIntegerDot(const HloInstruction& dot, const View& lhs, const View& rhs);

}  // namespace hloir::cpu
