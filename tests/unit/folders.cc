// See folders.h. CMake gives the four paths.
#include "tests/unit/folders.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "hloir/io.h"

namespace hloir {

const char kTestsFolder[] = HLOIR_TESTS_DIR;
const char kCorpusFolder[] = HLOIR_CORPUS_DIR;
const char kPassesFolder[] = HLOIR_PASSES_DIR;
const char kLessonsFolder[] = HLOIR_LESSONS_DIR;

std::string TextOf(const std::filesystem::path& path) {
  StatusOr<std::string> text = ReadFile(path.string());
  return text.ok() ? std::move(*text) : std::string();
}

std::vector<std::filesystem::path> FilesIn(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  }
  if (files.empty()) throw std::runtime_error(folder.string() + " has no file *" + std::string(ending));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace hloir
