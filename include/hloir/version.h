// hloir's version. The build checks that it is the one CMakeLists.txt says.
#pragma once

#define HLOIR_VERSION_MAJOR 0
#define HLOIR_VERSION_MINOR 1
#define HLOIR_VERSION_PATCH 0

#pragma GCC visibility push(default)
namespace hloir {

inline constexpr const char kVersion[] = "0.1.0";

}  // namespace hloir
#pragma GCC visibility pop
