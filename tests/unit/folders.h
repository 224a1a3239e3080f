// The folders of the source tree that tests read. They are defined in folders.cc alone, so that no other object file
// depends on where the tree lies (and ccache can share it between clones).
#pragma once

#include <filesystem>
#include <string>

namespace hloir {

extern const char kTestsFolder[];    // tests/
extern const char kCorpusFolder[];   // corpus/
extern const char kPassesFolder[];   // passes/
extern const char kLessonsFolder[];  // docs/lessons/

// The file's text; "" if there is no such file.
std::string TextOf(const std::filesystem::path& path);

}  // namespace hloir
