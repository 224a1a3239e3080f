// Properties in the names of files, mainly of XLA's dumps: defined in dumps.cc.
#pragma once

#include <string>

namespace hloir {

// True if the name is that of a module, and not of a report that XLA writes with the same ending.
bool NamesModule(const std::string& file_name);

}  // namespace hloir
