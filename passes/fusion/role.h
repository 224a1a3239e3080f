// The role of an instruction in a fusion, and the cost of one of its elements.
#pragma once

#include <cstdint>

#include "hloir/module.h"

namespace hloir::fusion {

enum class Role : uint8_t {
  kNone,         // cannot be in a fusion
  kScalar,       // a scalar constant
  kFree,         // broadcast, iota: takes no memory, may be repeated any number of times
  kMove,         // takes elements from elsewhere
  kArithmetic,   // elementwise
  kReduce,       // one result: anywhere; several: only at the end
  kContraction,  // dot, convolution, reduce-window: consumers join it (output fusion), and producers of a dot's rows
  kUpdate,       // dynamic-update-slice, scatter, at the end: it is done in place
};

// Prefetch distance of walks in instructions.
inline constexpr size_t kFetched = 24;

Role RoleOf(const HloInstruction& instruction);
// True for opcodes whose role may be kContraction.
bool MayContract(HloOpcode opcode);

// Of one element, in additions: 4 for a division, 16 for an exponential.
int Weight(const HloInstruction& instruction);

}  // namespace hloir::fusion
