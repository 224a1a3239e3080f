// Dots of 64-bit integers, which wrap: there is no kernel for them, so these are plain loops over rows, distributed
// over threads.
#pragma once

#include <memory>

#include "plan/run/step.h"
#include "plan/graph/view.h"

namespace hloir::cpu {

// Refs: lhs, rhs; the result. nullptr for other types.
std::unique_ptr<Step> MakeIntegerDot(const HloInstruction& dot, const View& lhs, const View& rhs);

}  // namespace hloir::cpu
