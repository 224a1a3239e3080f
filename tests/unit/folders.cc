// Where the source tree lies: see folders.h. CMake gives the four paths.
#include "tests/unit/folders.h"

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

}  // namespace hloir
