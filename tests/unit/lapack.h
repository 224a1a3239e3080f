// Skips results that need LAPACK on a machine without it.
#pragma once

#include <dlfcn.h>

#include <iostream>
#include <string_view>

#include "hloir/status.h"
#include "tests/unit/catch.h"

namespace hloir {

// Returns whether the error states that LAPACK is missing, prints a line if so, and fails if LAPACK is there after all.
inline bool LacksLapack(const Status& status) {
  constexpr std::string_view kMissing = "this machine has no LAPACK";
  if (status.message().find(kMissing) == std::string::npos) return false;
  void* const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  CHECK(library == nullptr);
  if (library != nullptr) dlclose(library);
  std::cout << "skipped: " << status.message() << "\n";
  return true;
}

}  // namespace hloir
