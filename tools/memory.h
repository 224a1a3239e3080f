// The memory limit of the command's process (--max-memory), the same for every command, set before anything is read.
// Tested by tests/cli/memory.test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hloir::tool {

// Adds --max-memory to each command of `app` that is not a group of commands. `most`: 0 if it is not given.
void AddMemoryFlag(CLI::App& app, uint64_t& most);
// Sets the limit: `most` bytes, or, for 0, the limit for the files among the arguments (memory_limit.h).
void LimitProcessMemory(uint64_t most, const std::vector<std::string>& arguments);
// Raises the default limit for this number of devices, each with a thread and its heap, to at least half of the
// machine's memory. A limit set by the user is kept.
void RaiseMemoryLimit(int64_t devices);
// Sets the default limit for these files, in a process that reads them alone, unless the user set a limit.
void LimitMemoryFor(const std::vector<std::string>& files);
// Removes the limit before this process executes another program.
void LiftMemoryLimit();

}  // namespace hloir::tool
