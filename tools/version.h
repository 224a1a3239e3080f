// The output of `hloir --version`: version, commit (CMake defines HLOIR_COMMIT for version.cc alone), instruction sets.
#pragma once

#include <string>

namespace hloir::tool {

std::string VersionText();

}  // namespace hloir::tool
