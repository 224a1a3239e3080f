// fft: lengths of factors 2, 3 and 5 in stages, others by Bluestein's convolution; several lines at once, as vector
// lanes.
#pragma once

#include <memory>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: operand; the result, and a buffer of `scratch` bytes. Arrays are row-major. nullptr if lengths are not
// supported.
std::unique_ptr<Step> MakeFft(const HloInstruction& fft, int threads, int64_t* scratch);

}  // namespace hloir::cpu
