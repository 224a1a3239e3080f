// hloir triage: classifies compiled programs by the cause of their differences.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/table.h"
#include "support/text.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/judge_programs.h"
#include "tools/report.h"
#include "tools/terminal.h"
#include "triage/page.h"

namespace hloir::tool {
namespace {

struct TriageFlags {
  std::vector<std::string> paths;
  JudgeFlags judge;
  std::string page;
  bool json = false;
};

Color ColorOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kFault:
    case FindingKind::kLessAccurate: return Color::kRed;
    case FindingKind::kDoubt:
    case FindingKind::kUndefined: return Color::kYellow;
    case FindingKind::kRounding:
    case FindingKind::kFine: break;
  }
  return Color::kGreen;
}

void PrintFindings(const std::vector<Finding>& findings) {
  constexpr size_t kName = 32;
  const size_t width = IsTerminal(stdout) ? static_cast<size_t>(TerminalWidth(stdout)) : 200;
  const bool color = UseColor(stdout);
  size_t name_width = 0, kind_width = 0;
  for (const Finding& f : findings) name_width = std::max(name_width, DisplayWidth(ShortName(f.program, kName)));
  for (const Finding& f : findings) kind_width = std::max(kind_width, FindingKindWords(f.kind).size());
  const auto padded = [](std::string text, size_t width) {
    text.append(width - std::min(width, DisplayWidth(text)), ' ');
    return text;
  };
  for (const Finding& f : findings) {
    const std::string kind = padded(std::string(FindingKindWords(f.kind)), kind_width);
    Write(stdout,
          ForLocale(fmt::format(
              "{}  {}  {}\n", Paint(kind, ColorOf(f.kind), color), padded(ShortName(f.program, kName), name_width),
              ShortName(f.summary, width - std::min(width, kind_width + name_width + 4), /*middle=*/false))));
  }
  Write(stdout, FindingCounts(findings) + "\n");
}

int Triage(const TriageFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const StatusOr<DumpFolder> programs = ListDumps(flags.paths);
  if (!programs.ok()) return Fail(programs.status(), flags.paths.size() == 1 ? flags.paths[0] : "");
  StatusOr<std::vector<Finding>> judged = JudgePrograms(programs->modules, flags.judge);
  if (!judged.ok()) return Fail(judged.status());
  std::vector<Finding> findings = *std::move(judged);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  if (!flags.page.empty()) {
    const std::string name = fmt::format("{}", fmt::join(flags.paths, " "));
    if (Status written = WriteOutput(flags.page, TriagePage(name, findings)); !written.ok())
      return Fail(written, flags.page);
  }
  const int status = ExitStatusOf(findings);
  if (!flags.json) {
    PrintFindings(findings);
    return status;
  }
  Json counts = Json::object(), rows = Json::array();
  for (int k = 0; k < kFindingKinds; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    counts[std::string(FindingKindName(kind))] =
        std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.kind == kind; });
  }
  for (const Finding& finding : findings) rows.push_back(Json::parse(FindingJson(finding)));
  PrintJson({{"programs", std::move(rows)}, {"counts", std::move(counts)}, {"exit_status", status}});
  return status;
}

}  // namespace

void AddTriageCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<TriageFlags>();
  AddOption(
      *command, "DIR|FILE", flags->paths,
      "Folders of dumps, and files: X.before.hlo and X.after.hlo, X.hlo and X.opt.hlo, or stages of passes as XLA "
      "names them; beside them X.npz or a snapshot with inputs in0, … and results out0, … of another run")
      ->required();
  AddJudgeFlags(*command, flags->judge);
  AddOption(*command, "--jobs N", flags->judge.jobs, "Programs that are judged at once (default: one per core)")
      ->check(Between(1, 1024));
  AddOption(*command, "-o,--output OUT.html", flags->page, "Write the report as a self-contained HTML page");
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, &action] { action = [flags] { return Triage(*flags); }; });
}

}  // namespace hloir::tool
