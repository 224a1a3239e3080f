// FetchAhead: for walks over instructions. Those of a module that was read lie one after the other in memory, and a
// walk over more of them than a cache holds waits for each; asking for what lies some instructions further on halves
// its time.
#pragma once

#include "hloir/instruction.h"

#pragma GCC visibility push(default)

namespace hloir {

// For walks in another order, whose next instructions are known some steps before.
inline void Fetch(const HloInstruction* instruction) {
  for (int bytes : {0, 64, 128}) __builtin_prefetch(reinterpret_cast<const char*>(instruction) + bytes);
}

inline void FetchAhead(const HloInstruction* instruction) {
  for (int bytes : {2048, 2112, 2176}) __builtin_prefetch(reinterpret_cast<const char*>(instruction) + bytes);
}

}  // namespace hloir

#pragma GCC visibility pop
