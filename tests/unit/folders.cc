// Where the source tree lies: see folders.h. CMake gives the four paths.
#include "tests/unit/folders.h"

namespace hloir {

const char kTestsFolder[] = HLOIR_TESTS_DIR;
const char kCorpusFolder[] = HLOIR_CORPUS_DIR;
const char kPassesFolder[] = HLOIR_PASSES_DIR;
const char kLessonsFolder[] = HLOIR_LESSONS_DIR;

}  // namespace hloir
