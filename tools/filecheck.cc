// hloir filecheck: checks a text, usually the output of another command, against CHECK lines. The matcher is
// check_lines.h.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "hloir/io.h"
#include "tools/check_lines.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct FilecheckFlags {
  std::string checks, text = "-", prefix = "CHECK";
  bool allow_empty = false;
};

int Filecheck(const FilecheckFlags& flags) {
  const StatusOr<std::string> checks = ReadFile(flags.checks);
  if (!checks.ok()) return Fail(checks.status(), DisplayName(flags.checks));
  const std::string name = DisplayName(flags.text);
  const StatusOr<std::string> text = ReadFile(flags.text);
  if (!text.ok()) return Fail(text.status(), name);
  if (text->empty() && !flags.allow_empty)
    return Fail(InvalidArgument("it is empty: did the command before fail? (--allow-empty takes it)"), name);
  const StatusOr<std::string> failure = CheckLines(*checks, *text, flags.prefix, DisplayName(flags.checks), name);
  if (!failure.ok()) return Fail(failure.status());
  Write(stderr, *failure);
  return failure->empty() ? kExitGood : kExitDisagree;
}

}  // namespace

void AddFilecheckCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<FilecheckFlags>();
  AddOption(*command, "CHECKS", flags->checks, "A file with lines CHECK: PATTERN, mostly in comments")->required();
  AddOption(*command, "TEXT", flags->text, "The text to be checked (default: standard input)");
  AddOption(*command, "--check-prefix NAME", flags->prefix, "The word in place of CHECK")
      ->check([](const std::string& name) {
        const bool good = !name.empty() && name.find_first_of(" \t\n:") == std::string::npos;
        return good ? "" : "expected a word";
      });
  command->add_flag("--allow-empty", flags->allow_empty, "Take an empty text, too");
  command->footer(
      "CHECK: matches below the last match, CHECK-NEXT: in the next line, CHECK-SAME:\n"
      "in the same line, CHECK-NOT: nowhere up to the next match, CHECK-DAG: in any\n"
      "order with the others around it, CHECK-COUNT-3: three times. A pattern is text,\n"
      "{{regex}}, [[NAME:regex]], and [[NAME]] for the text that it matched.\n"
      "Exit status: 0 all hold; 1 one does not; 2 a line is wrong, or there is none.");
  command->callback([flags, &action] { action = [flags] { return Filecheck(*flags); }; });
}

}  // namespace hloir::tool
