// A bound on the memory of the whole process, for programs that read files of strangers. Off until it is asked for; the
// hloir command asks for it (--max-memory).
//
// Example:
//
//   if (Status limited = LimitMemory(MemoryLimitForFiles(1000, 1000)); !limited.ok()) return;
//   (void)LimitMemory(0);
//
// Tested by tests/unit/limits_test.cc and tests/cli/memory.test.
#pragma once

#include <cstdint>

#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// From now on the process gets no more than `bytes` for its data (Linux's RLIMIT_DATA, all threads together); 0: what
// it could get before the first call. A call of this library that needs more fails with ResourceExhausted; other parts
// of the process see allocations fail. Children inherit the limit. Unimplemented where the system has none.
Status LimitMemory(uint64_t bytes);
// The limit in force, or 0.
uint64_t MemoryLimit();
// A limit that legal modules of such files do not need: 768 MB and 64 times what is in them, for files that hold much
// are worth much. If the largest is over 100 kB, at least half of the machine's memory: a real model's weights are not
// in its text. `serves`: the same for a process whose inputs are not known yet.
uint64_t MemoryLimitForFiles(uint64_t bytes, uint64_t largest, bool serves = false);

}  // namespace hloir
#pragma GCC visibility pop
