// What part an instruction can play in a fusion, and what computing one of its elements costs.
#pragma once

#include <cstdint>

#include "hloir/module.h"

namespace hloir::fusion {

enum class Role : uint8_t {
  kNone,         // cannot be in a fusion
  kScalar,       // a scalar constant
  kFree,         // broadcast, iota: needs no memory of its own, may be anywhere any number of times
  kMove,         // takes elements from elsewhere
  kArithmetic,   // elementwise
  kReduce,       // one result: anywhere; several: only at the end
  kContraction,  // dot, convolution, reduce-window: what follows joins it (output fusion), and what feeds a dot's rows
  kUpdate,       // dynamic-update-slice, scatter, at the end: it is done in place
};

// Walks ask for instructions that many before they look at them.
inline constexpr size_t kFetched = 24;

Role RoleOf(const HloInstruction& instruction);
// Of the opcodes whose role can be kContraction.
bool MayContract(HloOpcode opcode);

// Of one element, in additions: 4 for a division, 16 for an exponential.
int Weight(const HloInstruction& instruction);

}  // namespace hloir::fusion
