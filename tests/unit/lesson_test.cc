// Every answer in the lessons' folders, marked: right ones are accepted, and each known mistake is distinguished from
// the others.
//   answers/EXERCISE.right*.ENDING, answers/EXERCISE.MISTAKE*.ENDING; those of plugins are sources, for
//   tests/lessons/run.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/unit/catch.h"
#include "lesson/lesson.h"
#include "hloir/passes.h"
#include "tests/unit/folders.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

std::string LessonsFolder() { return std::string(kLessonsFolder); }

TEST_CASE("answers of lessons are marked") {
  auto lessons = ReadLessons(LessonsFolder());
  REQUIRE(lessons.ok());
  CHECK(lessons->size() >= 13);
  for (const Lesson& lesson : *lessons) {
    std::map<std::string, std::set<std::string>> seen;  // by exercise: "right" and mistakes
    for (const auto& entry : fs::directory_iterator(lesson.folder + "/answers")) {
      const std::string file = entry.path().filename().string();
      INFO(lesson.name + ": " + file);
      const std::string name = file.substr(0, file.find('.'));
      std::string expected = file.substr(name.size() + 1);
      expected.resize(expected.find('.'));
      if (expected.starts_with("right")) expected = "right";  // there may be several
      const auto exercise = std::find_if(lesson.exercises.begin(), lesson.exercises.end(),
                                         [&](const Lesson::Exercise& e) { return e.name == name; });
      REQUIRE(exercise != lesson.exercises.end());
      seen[name].insert(expected);
      if (exercise->answer == Lesson::Answer::kPlugin) continue;
      const auto mark = MarkAnswer(lesson, *exercise, entry.path().string(), BuiltinPasses());
      INFO((mark.ok() ? mark->said + " / " + mark->hint : mark.status().message()));
      REQUIRE(mark.ok());
      CHECK(mark->right == (expected == "right"));
      CHECK(mark->mistake == (expected == "right" ? "" : expected));
      CHECK_FALSE(mark->said.empty());
      CHECK(mark->hint.empty() == mark->right);
    }
    for (const Lesson::Exercise& exercise : lesson.exercises) {
      INFO(lesson.name + ": " + exercise.name);
      std::set<std::string> wanted(exercise.mistakes.begin(), exercise.mistakes.end());
      CHECK_FALSE(wanted.empty());
      wanted.insert("right");
      CHECK(seen[exercise.name] == wanted);
    }
    for (const char* file : {"lesson.md", "teacher.md"}) CHECK(fs::exists(fs::path(lesson.folder) / file));
  }
}

TEST_CASE("an answer that is none, and a lesson that is none") {
  const fs::path folder = fs::temp_directory_path() / "hloir_lesson_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "01-small");
  CHECK_FALSE(ReadLessons(folder.string()).ok());
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / "01-small" / name) << text; };
  write("lesson.json", "[]");
  CHECK_FALSE(ReadLessons(folder.string()).ok());
  write("lesson.json", R"({"title": "Small", "exercises": [{"name": "one", "answer": "numbers",
    "wants": [{"fact": "said n", "is": {"fact": "count add", "of": "m.hlo", "times": 2, "plus": 1}, "else": "it is not {found}"}],
    "mistakes": [{"name": "few", "when": [{"fact": "said n", "at_most": 2}], "say": "more than {found}"}]}]})");
  write("m.hlo", "HloModule m\nENTRY e {\n  a = f32[] parameter(0)\n  ROOT r = f32[] add(a, a)\n}\n");
  auto lessons = ReadLessons(folder.string());
  REQUIRE(lessons.ok());
  REQUIRE(lessons->front().name == "small");
  const auto mark = [&](const char* text) {
    write("one.txt", text);
    auto marked = MarkAnswer(lessons->front(), lessons->front().exercises[0], (folder / "01-small/one.txt").string(),
                             BuiltinPasses());
    REQUIRE(marked.ok());
    return *marked;
  };
  CHECK(mark("n = 3\n").right);
  CHECK(mark("# three\n  n=3").right);
  CHECK(mark("n = 2").said == "it is not 2");
  CHECK(mark("n = 2").hint == "more than 2");
  CHECK(mark("n = 4").hint == "");
  CHECK(mark("m = 4").said == "it has no line 'n = …'");
  CHECK_FALSE(mark("three").right);
  CHECK_FALSE(mark("").right);
  CHECK_FALSE(
      MarkAnswer(lessons->front(), lessons->front().exercises[0], (folder / "none.txt").string(), BuiltinPasses())
          .ok());
  write("m.hlo", "nonsense");  // the lesson's own file is broken: nobody's answer is wrong for that
  write("one.txt", "n = 3");
  CHECK_FALSE(MarkAnswer(lessons->front(), lessons->front().exercises[0], (folder / "01-small/one.txt").string(),
                         BuiltinPasses())
                  .ok());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hloir
