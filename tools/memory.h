// The memory limit of the command's process (--max-memory), set in main.cc before anything is read.
#pragma once

#include <cstdint>

namespace hloir::tool {

// A module for so many devices takes a thread and its heap for each: the default limit rises by them. One that the user
// has given stays.
void RaiseMemoryLimit(int64_t devices);

}  // namespace hloir::tool
