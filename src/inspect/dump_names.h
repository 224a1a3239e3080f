// Properties in the names of files, mainly of XLA's dumps: defined in dumps.cc.
#pragma once

#include <string>

namespace hloir {

// A module, by its ending, and not one of the reports that XLA writes beside them under the same endings.
bool NamesModule(const std::string& file_name);

}  // namespace hloir
