// See hloir/detail/check.h. scripts/check-includes lets this file alone print and abort.
#include "hloir/detail/check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace hloir::internal {

void CheckFailed(const char* file, int line, const char* message) noexcept {
  // Omits the source directory of the build.
  if (const char* slash = std::strrchr(file, '/')) file = slash + 1;
  std::fprintf(stderr, "hloir: %s:%d: %s\n", file, line, message);
  std::abort();
}

}  // namespace hloir::internal
