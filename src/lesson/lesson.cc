// Reads lessons; see lesson/lesson.h. lesson_mark.cc marks answers.
#include "lesson/lesson.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "report/json.h"

#include "hloir/io.h"
#include "support/format.h"
#include "support/parse_json.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string_view name, ending;
  Lesson::Answer answer;
};
constexpr Kind kKinds[] = {{"module", ".hlo", Lesson::Answer::kModule},
                           {"passes", ".txt", Lesson::Answer::kPasses},
                           {"values", ".txt", Lesson::Answer::kValues},
                           {"numbers", ".txt", Lesson::Answer::kNumbers},
                           {"plugin", ".so", Lesson::Answer::kPlugin}};

std::string Text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

StatusOr<Lesson> ReadLesson(const fs::path& folder) {
  const fs::path file = folder / "lesson.json";
  HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.string()));
  const Json json = ParseJson<Json>(text);
  if (!json.is_object() || !json.contains("exercises") || !json["exercises"].is_array())
    return InvalidArgument(Format("{}: expected a JSON object with exercises", file.string()));
  Lesson lesson;
  lesson.folder = folder.string();
  lesson.name = folder.filename().string();
  lesson.name.erase(0, lesson.name.find_first_not_of("0123456789-"));
  lesson.title = Text(json, "title"), lesson.summary = Text(json, "summary");
  if (json.contains("minutes") && json["minutes"].is_number()) lesson.minutes = json["minutes"].get<int64_t>();
  for (const Json& row : json["exercises"]) {
    Lesson::Exercise exercise;
    exercise.name = Text(row, "name"), exercise.task = Text(row, "task");
    const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& k) { return k.name == Text(row, "answer"); });
    if (kind == std::end(kKinds) || exercise.name.empty() || !row.contains("wants"))
      return InvalidArgument(Format("{}: exercise '{}' needs name, answer and wants", file.string(), exercise.name));
    exercise.answer = kind->answer;
    exercise.file = exercise.name + std::string(kind->ending);
    if (row.contains("mistakes") && row["mistakes"].is_array())
      for (const Json& mistake : row["mistakes"]) exercise.mistakes.push_back(Text(mistake, "name"));
    exercise.conditions = row.dump();
    lesson.exercises.push_back(std::move(exercise));
  }
  return lesson;
}

}  // namespace

StatusOr<std::vector<Lesson>> ReadLessons(const std::string& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (fs::exists(it->path() / "lesson.json", error)) folders.push_back(it->path());
  if (folders.empty()) return InvalidArgument(Format("{}: no lessons found", folder));
  std::sort(folders.begin(), folders.end());
  std::vector<Lesson> lessons;
  for (const fs::path& path : folders) {
    HLOIR_ASSIGN_OR_RETURN(Lesson lesson, ReadLesson(path));
    lessons.push_back(std::move(lesson));
  }
  return lessons;
}

}  // namespace hloir
