// How many test files there are to be, by tests/listing.txt: what a test that walks a folder holds its count against,
// so that it notices each one that it no longer sees.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "tests/unit/folders.h"

namespace hloir {

// Files under `folder` (from the repository's root, with its '/') whose names end so.
inline int64_t ListedFiles(std::string_view folder, std::string_view ending = ".hlo") {
  std::ifstream listing(std::string(kTestsFolder) + "/listing.txt");
  int64_t count = 0;
  for (std::string line; std::getline(listing, line);) count += line.starts_with(folder) && line.ends_with(ending);
  return count;
}

}  // namespace hloir
