// Lessons: folders with a text, modules, and exercises whose answers are marked by running them. The conditions of an
// exercise are data in the lesson's lesson.json (docs/lessons/teaching.md describes it), so a lesson is added by adding
// a folder.
//
// Example:
//
//   StatusOr<std::vector<Lesson>> lessons = ReadLessons("docs/lessons");
//   if (lessons.ok() && !lessons->empty()) {
//     const Lesson& lesson = lessons->front();
//     StatusOr<Mark> mark = MarkAnswer(lesson, lesson.exercises.front(), "first.hlo", BuiltinPasses());
//     if (mark.ok()) std::puts(mark->said.c_str());
//   }
//
// Threads: a lesson is a value; answers may be marked from any thread; plugins once per process.
// Tested by tests/unit/lesson_test.cc, which marks every answer in the lessons' folders, and tests/cli/lesson.test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hloir/pass.h"
#include "hloir/status.h"

namespace hloir {

// A lesson: a subfolder, NN-NAME, of a folder of lessons.
struct Lesson {
  // The kind of an answer.
  enum class Answer : uint8_t {
    kModule,   // a module
    kPasses,   // a pipeline as --pipeline takes it; its result on the given module counts
    kValues,   // values of a module's parameters, a literal a line: f32[2] {1, 2}
    kNumbers,  // counts and properties, one per line: fusions = 3
    kPlugin,   // a plugin of passes; the result of the required passes on the given module counts
  };
  // Something to do.
  struct Exercise {
    std::string name, task;  // "sum-by-hand", a sentence
    std::string file;        // the name of the answer's file: "sum-by-hand.hlo"
    Answer answer = Answer::kModule;
    std::vector<std::string> mistakes;  // names of conditions with hints
    std::string conditions;             // JSON: its part of lesson.json
  };
  std::string name, title, summary;  // "folding"
  std::string folder;                // with lesson.json, lesson.md and the files that they name
  int64_t minutes = 0;
  std::vector<Exercise> exercises;
};

// In the order of their folders. InvalidArgument if there are none or if one is invalid.
StatusOr<std::vector<Lesson>> ReadLessons(const std::string& folder);

// The result of marking an answer.
struct Mark {
  bool right = false;
  std::string said;     // explanations of a right answer, or of the failed conditions
  std::string hint;     // the hint for a known mistake, or ""
  std::string mistake;  // its name
};
// Marks the answer in the file at `path`. An answer that cannot be read in the expected form is wrong, and `said` has
// the reason; errors are for invalid files of the lesson, plugins that cannot be loaded, and a missing answer.
StatusOr<Mark> MarkAnswer(const Lesson& lesson, const Lesson::Exercise& exercise, const std::string& path,
                          const PassRegistry& registry);

}  // namespace hloir
