// hloir lesson: lessons about HLO, and answers to their exercises.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lesson/lesson.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "support/did_you_mean.h"
#include "support/text.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/help.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

namespace fs = std::filesystem;

struct LessonFlags {
  std::string lesson, folder, exercise;
  std::vector<std::string> files;
  bool teacher = false, json = false;
};

// The folder HLOIR_LESSONS, otherwise share/hloir/lessons of the installation, or docs/lessons of the source tree.
StatusOr<std::string> LessonsFolder() {
  if (const char* folder = std::getenv("HLOIR_LESSONS"); folder != nullptr && *folder != '\0')
    return std::string(folder);
  std::error_code error;
  fs::path above = fs::read_symlink("/proc/self/exe", error).parent_path();
  while (!above.empty()) {
    for (const char* place : {"share/hloir/lessons", "docs/lessons"})
      if (fs::is_directory(above / place, error)) return (above / place).string();
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  return InvalidArgument("the lessons are not installed; set HLOIR_LESSONS to their folder");
}

StatusOr<std::vector<Lesson>> AllLessons() {
  HLOIR_ASSIGN_OR_RETURN(const std::string folder, LessonsFolder());
  return ReadLessons(folder);
}

template <class T>
StatusOr<T> Named(std::vector<T> all, const std::string& name, std::string_view what) {
  std::vector<std::string> names;
  for (T& one : all) {
    if (one.name == name) return std::move(one);
    names.push_back(one.name);
  }
  const std::string meant = DidYouMean(name, names);
  if (!meant.empty()) return InvalidArgument(fmt::format("unknown {} '{}'{}", what, name, meant));
  return InvalidArgument(fmt::format("unknown {} '{}'; known are {}", what, name, fmt::join(names, ", ")));
}

int List(const LessonFlags& flags) {
  auto lessons = AllLessons();
  if (!lessons.ok()) return Fail(lessons.status());
  if (flags.json) {
    Json all = Json::array();
    for (const Lesson& lesson : *lessons) {
      Json exercises = Json::array();
      for (const Lesson::Exercise& exercise : lesson.exercises)
        exercises.push_back({{"name", exercise.name}, {"file", exercise.file}, {"task", exercise.task}});
      all.push_back({{"name", lesson.name},
                     {"title", lesson.title},
                     {"summary", lesson.summary},
                     {"minutes", lesson.minutes},
                     {"folder", lesson.folder},
                     {"exercises", exercises}});
    }
    PrintJson({{"lessons", all}, {"exit_status", static_cast<int>(kExitGood)}});
    return kExitGood;
  }
  for (const Lesson& lesson : *lessons)
    Write(stdout,
          HelpRow(lesson.name, fmt::format("{} ({} exercise{}, {} minutes)", lesson.title, lesson.exercises.size(),
                                           lesson.exercises.size() == 1 ? "" : "s", lesson.minutes)));
  PrintOut("\nRun hloir lesson start NAME to copy a lesson's files to a folder.\n");
  return kExitGood;
}

// Rewraps paragraphs to the terminal's width; code blocks, tables and headings are kept.
std::string Filled(std::string_view markdown, size_t width) {
  std::string filled, paragraph;
  size_t indent = 0;
  const auto flush = [&] {
    if (!paragraph.empty()) filled += Wrap(paragraph, width, indent) + "\n";
    paragraph.clear();
  };
  bool code = false;
  while (!markdown.empty()) {
    const size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    const std::string_view words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const bool fence = words.starts_with("```");
    if (code || fence || words.empty() || words[0] == '#' || words[0] == '|' || words[0] == '<') {
      flush();
      filled += Fold(line, width, 2) + "\n";
      code = code != fence;
      continue;
    }
    // "- " or "12. " begins a list item, whose further lines are indented to its text.
    const size_t digits = std::min(words.find_first_not_of("0123456789"), words.size());
    const size_t mark = words.starts_with("- ") || words.starts_with("* ")     ? 2
                        : digits > 0 && words.substr(digits).starts_with(". ") ? digits + 2
                                                                               : 0;
    if (mark > 0 || paragraph.empty()) {
      flush();
      indent = line.size() - words.size() + mark;
      filled += line.substr(0, indent);
      paragraph = line.substr(indent);
    } else {
      paragraph += " " + std::string(words);
    }
  }
  flush();
  return filled;
}

int Show(const LessonFlags& flags) {
  auto lessons = AllLessons();
  if (!lessons.ok()) return Fail(lessons.status());
  auto lesson = Named(std::move(*lessons), flags.lesson, "lesson");
  if (!lesson.ok()) return Fail(lesson.status());
  auto text = ReadFile((fs::path(lesson->folder) / (flags.teacher ? "teacher.md" : "lesson.md")).string());
  if (!text.ok()) return Fail(text.status());
  Write(stdout, Filled(ForLocale(*text), static_cast<size_t>(TerminalWidth(stdout))));
  return kExitGood;
}

// Copies the student's files: all except the answers and the teacher's page. Existing files are kept.
int Start(const LessonFlags& flags) {
  auto lessons = AllLessons();
  if (!lessons.ok()) return Fail(lessons.status());
  auto lesson = Named(std::move(*lessons), flags.lesson, "lesson");
  if (!lesson.ok()) return Fail(lesson.status());
  const fs::path to = flags.folder.empty() ? lesson->name : flags.folder;
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return Fail(InvalidArgument(fmt::format("{}: {}", to.string(), error.message())));
  for (fs::directory_iterator it(lesson->folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!it->is_regular_file() || name == "teacher.md" || name == "lesson.json") continue;
    if (fs::exists(to / name)) continue;
    fs::copy_file(it->path(), to / name, error);
    if (error) return Fail(InvalidArgument(fmt::format("{}: {}", (to / name).string(), error.message())));
    // Files of an installed package may be read-only.
    fs::permissions(to / name, fs::perms::owner_write, fs::perm_options::add, error);
  }
  PrintOut("The lesson is in {}. Read {} and write there:\n", Printable(to.string()),
           Printable((to / "lesson.md").string()));
  for (const Lesson::Exercise& exercise : lesson->exercises) Write(stdout, HelpRow(exercise.file, exercise.task));
  PrintOut("Run `hloir lesson check {}` in that folder to check them.\n", lesson->name);
  return kExitGood;
}

struct Marked {
  const Lesson::Exercise* exercise = nullptr;
  std::string file;
  bool there = true;
  Mark mark;
};

void PrintMark(const Marked& marked) {
  const bool color = UseColor(stdout);
  const auto indented = [](std::string_view text) {
    const size_t width = static_cast<size_t>(std::max(TerminalWidth(stdout) - 8, 30));
    std::string lines;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      lines += "    " + Wrap(text.substr(begin, end - begin), width + 4, 4) + "\n";
      begin = end + 1;
    }
    return lines;
  };
  if (!marked.there) {
    PrintOut("{}: no answer yet: {}\n", marked.exercise->name, Printable(marked.exercise->file));
    return;
  }
  PrintOut("{}: {}\n", marked.exercise->name,
           marked.mark.right ? Paint("right", Color::kGreen, color) : Paint("not yet", Color::kRed, color));
  if (!marked.mark.said.empty()) Write(stdout, ForLocale(indented(marked.mark.said)));
  if (!marked.mark.hint.empty()) Write(stdout, ForLocale(indented("Hint: " + marked.mark.hint)));
}

int CheckAnswers(const LessonFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  auto lessons = AllLessons();
  if (!lessons.ok()) return Fail(lessons.status());
  auto lesson = Named(std::move(*lessons), flags.lesson, "lesson");
  if (!lesson.ok()) return Fail(lesson.status());
  std::vector<Marked> all;
  if (flags.files.empty()) {
    for (const Lesson::Exercise& exercise : lesson->exercises) {
      if (flags.exercise.empty() || flags.exercise == exercise.name)
        all.push_back({&exercise, exercise.file, true, {}});
    }
    std::error_code error;
    for (Marked& marked : all) marked.there = fs::exists(marked.file, error);
  }
  for (const std::string& file : flags.files) {
    const std::string name = flags.exercise.empty() ? fs::path(file).stem().string() : flags.exercise;
    const auto found = std::find_if(lesson->exercises.begin(), lesson->exercises.end(),
                                    [&](const Lesson::Exercise& exercise) { return exercise.name == name; });
    if (found != lesson->exercises.end()) {
      all.push_back({&*found, file, true, {}});
      continue;
    }
    const Status none = Named(lesson->exercises, name, "exercise").status();
    return Fail(InvalidArgument(none.message() + " (--exercise names the exercise of a file with another name)"));
  }
  int worst = kExitGood;
  Json rows = Json::array();
  for (Marked& marked : all) {
    if (marked.there) {
      auto mark = MarkAnswer(*lesson, *marked.exercise, marked.file, BuiltinPasses());
      if (!mark.ok()) return Fail(mark.status(), DisplayName(marked.file));
      marked.mark = std::move(*mark);
    }
    if (!marked.mark.right) worst = kExitDisagree;
    if (!flags.json) PrintMark(marked);
    rows.push_back({{"exercise", marked.exercise->name},
                    {"file", marked.file},
                    {"there", marked.there},
                    {"right", marked.mark.right},
                    {"said", marked.mark.said},
                    {"hint", marked.mark.hint},
                    {"mistake", marked.mark.mistake}});
  }
  if (flags.json) PrintJson({{"lesson", lesson->name}, {"answers", rows}, {"exit_status", worst}});
  return worst;
}

}  // namespace

void AddLessonCommand(CLI::App* lesson, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<LessonFlags>();
  lesson->require_subcommand(0, 1);
  const auto add = [&](const char* name, const char* what, int (*run)(const LessonFlags&)) {
    CLI::App* command = lesson->add_subcommand(name, what);
    command->callback([flags, run, &action] { action = [flags, run] { return run(*flags); }; });
    return command;
  };
  CLI::App* list = add("list", "List the lessons", List);
  CLI::App* show = add("show", "Print a lesson's text", Show);
  CLI::App* start = add("start", "Copy a lesson's files to a folder to work in", Start);
  CLI::App* check = add("check", "Check answers by running them", CheckAnswers);
  for (CLI::App* command : {show, start, check})
    AddOption(*command, "LESSON", flags->lesson, "Name of the lesson (see hloir lesson list)")->required();
  show->add_flag("--teacher", flags->teacher, "Print the page for teachers");
  AddOption(*start, "DIR", flags->folder, "Destination (default: a folder named after the lesson)");
  AddOption(*check, "FILE", flags->files,
            "Answers, named after their exercises (default: those in the current folder)");
  AddOption(*check, "--exercise NAME", flags->exercise, "Exercise that FILE answers");
  for (CLI::App* command : {list, check}) command->add_flag("--json", flags->json, "Print the report as JSON");
  for (CLI::App* command : lesson->get_subcommands({})) command->group("Commands");
  lesson->callback([lesson, &action] {
    if (!lesson->get_subcommands().empty()) return;
    action = [lesson] {
      Write(stderr, lesson->help("hloir"));
      return static_cast<int>(kExitBadInput);
    };
  });
}

}  // namespace hloir::tool
