// A bound on the memory of the whole process, for programs that read untrusted files. Off by default; the hloir command
// sets it (--max-memory).
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

// Limits the data of the process to `bytes` (Linux's RLIMIT_DATA, for all threads together); 0 restores the limit
// before the first call. A call of this library that needs more fails with ResourceExhausted; other parts of the
// process see allocations fail. Children inherit the limit. Unimplemented where the system has none.
Status LimitMemory(uint64_t bytes);
// The limit in force, or 0.
uint64_t MemoryLimit();
// A limit above the needs of legal modules of such files: 768 MB plus 64 times their size. If the largest file is over
// 100 kB, at least half of the machine's memory, because the weights of a real model are not in its text. `serves`: for
// a process whose inputs are not known yet.
uint64_t MemoryLimitForFiles(uint64_t bytes, uint64_t largest, bool serves = false);

}  // namespace hloir
#pragma GCC visibility pop
