// The folders of the source tree that tests read, and the files in them. The paths are defined in folders.cc alone, so
// that no other object file depends on where the tree lies (and ccache can share it between clones).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hloir {

extern const char kTestsFolder[];    // tests/
extern const char kCorpusFolder[];   // corpus/
extern const char kPassesFolder[];   // passes/
extern const char kLessonsFolder[];  // docs/lessons/

// The file's text; "" if there is no such file.
std::string TextOf(const std::filesystem::path& path);
// The files of `folder` whose names end so, sorted. Throws if there are none: a test that walks a folder that was moved
// or emptied fails.
std::vector<std::filesystem::path> FilesIn(const std::filesystem::path& folder, std::string_view ending = ".hlo");

}  // namespace hloir
