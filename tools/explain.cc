// hloir explain: the rewrites of passes on a module, one by one.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "inspect/explain.h"
#include "hloir/io.h"
#include "tools/command.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/optimize_flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct ExplainFlags {
  std::string file, output = "-";
  OptimizeFlags optimize;
  ElidedValues elided;
  uint64_t seed = 0;
  bool step = false, json = false;
};

// Wraps to the terminal's width and prints removed instructions in red and new ones in green.
std::string ColoredStory(const std::string& story) {
  const std::string text = Folded(story, /*indent=*/4);
  if (!UseColor(stdout)) return text;
  std::string colored;
  std::optional<Color> color;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with("  - ")) color = Color::kRed;
    else if (line.starts_with("  + ")) color = Color::kGreen;
    else if (line.starts_with("== ")) color = Color::kYellow;
    else if (!line.starts_with("    ")) color.reset();  // else more of the same
    colored += color ? Paint(line, *color, true) : line;
    colored += '\n';
    begin = end + 1;
  }
  return colored;
}

// --step: shows one rewrite at a time, and reads commands from stdin in between, as gdb does.
class Stepper {
 public:
  explicit Stepper(const RewriteHistory& history) : history_(history) {}

  int Run() {
    if (!history_.steps.empty()) {
      Show(0);
      while (at_ < history_.steps.size()) {
        Write(stderr, fmt::format("({}/{}) ", at_ + 1, history_.steps.size()));
        const std::optional<std::string> line = ReadLine();
        if (!line) return kExitGood;
        if (!line->empty()) last_ = *line;  // Enter repeats
        if (!Obey(last_)) return kExitGood;
      }
    }
    // Passes after the last rewrite have none.
    for (; run_ < history_.runs.size(); ++run_)
      Write(stdout, ColoredStory("\n" + RunText(history_, history_.runs[run_])));
    Write(stdout, ColoredStory("\n" + LayoutsText(history_)));
    return kExitGood;
  }

 private:
  struct Command {
    std::string_view name, argument, what;
    bool (Stepper::*act)(const std::string& argument);  // false: quit
  };
  // The first letter is enough, so each has its own.
  static std::span<const Command> Commands() {
    static constexpr Command kCommands[] = {
        {"next", "[N]", "the next rewrite, or the Nth from here", &Stepper::Next},
        {"back", "[N]", "the rewrite before, or the Nth before", &Stepper::Back},
        {"skip", "", "the first rewrite of the next pass", &Stepper::Skip},
        {"pass", "", "the first rewrite of this pass; there, of the pass before", &Stepper::Pass},
        {"jump", "N|TEXT", "rewrite N, or the next one whose pass, rule or instruction contains TEXT", &Stepper::Jump},
        {"list", "", "the passes and the numbers of their rewrites", &Stepper::List},
        {"help", "", "this list; Enter repeats the last command, one letter of a command is enough", &Stepper::Help},
        {"quit", "", "the end", &Stepper::Quit},
    };
    return kCommands;
  }

  // nullopt at the end of the input.
  static std::optional<std::string> ReadLine() {
    std::string line;
    for (int c; (c = std::getchar()) != '\n';) {
      if (c == EOF) return std::nullopt;
      line += static_cast<char>(c);
    }
    const size_t first = line.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
  }

  bool Obey(const std::string& line) {
    const size_t blank = std::min(line.find_first_of(" \t"), line.size());
    const std::string word = line.substr(0, blank);
    const size_t begin = std::min(line.find_first_not_of(" \t", blank), line.size());
    for (const Command& command : Commands())
      if (command.name.starts_with(word)) return (this->*command.act)(line.substr(begin));
    Say(fmt::format("unknown command '{}'; help lists the commands", Printable(word)));
    return true;
  }

  static void Say(const std::string& text) { Write(stderr, text + "\n"); }

  // The run of a step.
  size_t RunOf(size_t step) const {
    size_t run = 0;
    while (history_.runs[run].last <= step) ++run;
    return run;
  }

  // With the headlines of passes that come in between, or of its own where it is not the next one.
  void Show(size_t step) {
    const size_t run = RunOf(step);
    if (step < at_ || step > at_ + 1) run_ = run;
    std::string text;
    for (; run_ <= run; ++run_) text += "\n" + RunText(history_, history_.runs[run_]);
    run_ = run + 1;
    Write(stdout, ColoredStory(text + StepText(history_, step)));
    std::fflush(stdout);
    at_ = step;
  }

  // A count of rewrites: "" is 1. nullopt, and a message, for what is none.
  static std::optional<size_t> Count(const std::string& text) {
    size_t count = 1;
    if (text.empty()) return count;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc() && end == text.data() + text.size() && count > 0) return count;
    Say(fmt::format("'{}' is not a number of rewrites", Printable(text)));
    return std::nullopt;
  }

  bool Next(const std::string& argument) {
    const std::optional<size_t> count = Count(argument);
    if (!count) return true;
    if (*count < history_.steps.size() - at_) Show(at_ + *count);
    else at_ = history_.steps.size();
    return true;
  }
  bool Back(const std::string& argument) {
    const std::optional<size_t> count = Count(argument);
    if (!count) return true;
    if (at_ == 0) Say("this is the first rewrite");
    else Show(at_ - std::min(at_, *count));
    return true;
  }
  bool Skip(const std::string&) {
    const size_t next = history_.runs[RunOf(at_)].last;
    if (next < history_.steps.size()) Show(next);
    else Say("this is the last pass with rewrites");
    return true;
  }
  bool Pass(const std::string&) {
    size_t first = history_.runs[RunOf(at_)].first;
    if (first == at_ && at_ > 0) first = history_.runs[RunOf(at_ - 1)].first;
    if (at_ == 0) Say("this is the first rewrite");
    else Show(first);
    return true;
  }
  bool Jump(const std::string& argument) {
    const size_t count = history_.steps.size();
    if (argument.empty()) {
      Say("jump needs the number of a rewrite, or a part of the name of a pass, a rule or an instruction");
    } else if (argument.find_first_not_of("0123456789") == std::string::npos) {
      size_t number = 0;
      std::from_chars(argument.data(), argument.data() + argument.size(), number);
      if (number >= 1 && number <= count) Show(number - 1);
      else Say(fmt::format("there are rewrites 1 to {}", count));
    } else {
      for (size_t k = 1; k <= count; ++k) {
        const size_t step = (at_ + k) % count;
        if (history_.steps[step].rewrite.id.find(argument) == std::string::npos) continue;
        Show(step);
        return true;
      }
      Say(fmt::format("no rewrite has '{}' in its pass, rule or instruction", Printable(argument)));
    }
    return true;
  }
  bool List(const std::string&) {
    for (const RewriteHistory::Run& run : history_.runs) {
      if (run.first == run.last) continue;
      PrintOut("{} {:>5} to {:>5}  {}\n", run.first <= at_ && at_ < run.last ? "*" : " ", run.first + 1, run.last,
               run.pass);
    }
    std::fflush(stdout);
    return true;
  }
  bool Help(const std::string&) {
    for (const Command& command : Commands())
      PrintOut("{:<4} {:<6}  {}\n", command.name, command.argument, command.what);
    std::fflush(stdout);
    return true;
  }
  bool Quit(const std::string&) { return false; }

  const RewriteHistory& history_;
  size_t at_ = 0;   // the step that was shown last
  size_t run_ = 0;  // the run after those whose headlines were shown
  std::string last_ = "next";
};

int Explain(const ExplainFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const std::string file = DisplayName(flags.file);
  auto loaded = ReadModule(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  if (Status filled = TakeElided(**loaded, flags.elided); !filled.ok()) return Fail(filled, file);
  const Optimizer optimize = [&](HloModule& module, PipelineOptions options, Rewriter* rewriter) {
    return Optimize(module, flags.optimize, std::move(options), rewriter).status();
  };
  auto history = MakeRewriteHistory(**loaded, optimize, flags.seed);
  if (!history.ok()) return Fail(history.status(), file);
  if (flags.step) return Stepper(*history).Run();
  if (!flags.output.ends_with(".html")) {
    const std::string text = HistoryText(*history);
    const Status written = WriteOutput(flags.output, flags.output == "-" ? ColoredStory(text) : text);
    if (!written.ok()) return Fail(written);
    if (flags.json && flags.output != "-") PrintWritten(file);
    return kExitGood;
  }
  auto page = HistoryPage(*history);
  if (!page.ok()) return Fail(page.status(), file);
  const Status written = WriteOutput(flags.output, *page);
  if (!written.ok()) return Fail(written);
  if (flags.json) PrintWritten(file);
  return kExitGood;
}

}  // namespace

void AddExplainCommand(CLI::App* command, Action& action, PassRegistry& registry) {
  auto flags = std::make_shared<ExplainFlags>();
  AddOption(*command, "FILE", flags->file, "HLO text, HloProto, snapshot or JSON, optionally gzipped")->required();
  CLI::Option* output =
      AddOption(*command, "-o,--output OUT", flags->output,
                "Output file: OUT.html is an interactive page, other names get text (default: stdout)");
  AddElidedFlag(*command, flags->elided);
  AddOptimizeFlags(*command, flags->optimize, registry);
  AddOption(*command, "--seed N", flags->seed, "Seed of the generated inputs on which the module runs after each pass")
      ->check(AnySeed());
  command
      ->add_flag("--step", flags->step,
                 "Show one rewrite at a time and read commands: next, back, skip, pass, jump, list, help, quit")
      ->excludes(output);
  command->add_flag("--json", flags->json, "Print errors, or the names of the files written, as JSON");
  command->callback([flags, &action] { action = [flags] { return Explain(*flags); }; });
}

}  // namespace hloir::tool
