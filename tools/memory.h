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

// Adds --max-memory to each command of `app` that is not only a group of others. `most`: 0 if it is not given.
void AddMemoryFlag(CLI::App& app, uint64_t& most);
// Sets the limit: `most` bytes, or, for 0, what the files among the command's arguments are worth (memory_limit.h).
void LimitProcessMemory(uint64_t most, const std::vector<std::string>& arguments);
// A module for so many devices takes a thread and its heap for each: the default limit rises by them. One that the user
// has given stays.
void RaiseMemoryLimit(int64_t devices);
// In a process that looks at these files alone: their default limit, unless the user has given one.
void LimitMemoryFor(const std::vector<std::string>& files);
// Before this process becomes another program, which has its own needs.
void LiftMemoryLimit();

}  // namespace hloir::tool
