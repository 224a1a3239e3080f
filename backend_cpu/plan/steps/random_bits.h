// rng-bit-generator, bit for bit as XLA's: Threefry and Philox, each counter's words from a kernel.
#pragma once

#include <memory>

#include "hloir/instruction.h"
#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: state; the new state, and the bits. nullptr for states and types that only the reference supports.
std::unique_ptr<Step> MakeRngBitGenerator(const HloInstruction& rng);

}  // namespace hloir::cpu
