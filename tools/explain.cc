// hloir explain: the rewrites of passes on a module, one by one.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

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

// Waits for Enter; false at the end of the input, or for q.
bool NextStep() {
  Write(stderr, "[Enter: next, q: quit] ");
  std::string line;
  for (int c; (c = std::getchar()) != '\n';) {
    if (c == EOF) return false;
    line += static_cast<char>(c);
  }
  return line != "q";
}

int ShowSteps(const RewriteHistory& history) {
  for (const RewriteHistory::Run& run : history.runs) {
    Write(stdout, ColoredStory("\n" + RunText(history, run)));
    for (size_t k = run.first; k < run.last; ++k) {
      Write(stdout, ColoredStory(StepText(history, k)));
      std::fflush(stdout);
      if (!NextStep()) return kExitGood;
    }
  }
  Write(stdout, ColoredStory("\n" + LayoutsText(history)));
  return kExitGood;
}

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
  if (flags.step) return ShowSteps(*history);
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
  command->add_flag("--step", flags->step, "Wait for Enter after each rewrite")->excludes(output);
  command->add_flag("--json", flags->json, "Print errors, or the names of the files written, as JSON");
  command->callback([flags, &action] { action = [flags] { return Explain(*flags); }; });
}

}  // namespace hloir::tool
