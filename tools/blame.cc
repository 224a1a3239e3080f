// hloir blame: finds the cause of a wrong result.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "support/did_you_mean.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/judge_programs.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct BlameFlags {
  std::vector<std::string> paths;
  JudgeFlags judge;
  std::string module;
  bool json = false;
};

// Two files are one program, whatever they are called; else names decide.
StatusOr<std::vector<DumpFolder::Module>> ProgramsOf(const BlameFlags& flags) {
  std::error_code none;
  const bool pair = flags.paths.size() == 2 && std::filesystem::is_regular_file(flags.paths[0], none) &&
                    std::filesystem::is_regular_file(flags.paths[1], none);
  if (pair) {
    DumpFolder::Module program;
    program.name = std::filesystem::path(flags.paths[0]).stem().string();
    for (const auto& [path, stage] : {std::pair(flags.paths[0], "before"), std::pair(flags.paths[1], "after")}) {
      program.stages.emplace_back().path = path;
      program.stages.back().name = stage;
    }
    return std::vector{std::move(program)};
  }
  HLOIR_ASSIGN_OR_RETURN(DumpFolder folder, ListDumps(flags.paths));
  std::vector<std::string> names;
  std::vector<DumpFolder::Module> chosen;
  for (DumpFolder::Module& module : folder.modules) {
    names.push_back(module.name);
    if (flags.module.empty() || module.name == flags.module) chosen.push_back(std::move(module));
  }
  if (chosen.empty()) {
    const std::string meant = DidYouMean(flags.module, names);
    return InvalidArgument(fmt::format("there is no module '{}'{}", flags.module,
                                       meant.empty() ? "; hloir dumps DIR lists the modules" : meant));
  }
  if (chosen.size() > 1 && !flags.judge.results.empty())
    return InvalidArgument(fmt::format("there are {} modules; --module must name the one with these results: {}",
                                       names.size(), fmt::join(names, ", ")));
  return chosen;
}

int Blame(const BlameFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  std::error_code none;
  for (const std::string& file : flags.judge.results)
    if (!std::filesystem::exists(file, none)) return Fail(InvalidArgument("there is no such file"), file);
  const StatusOr<std::vector<DumpFolder::Module>> programs = ProgramsOf(flags);
  if (!programs.ok()) return Fail(programs.status(), flags.paths.size() == 1 ? flags.paths[0] : "");
  const StatusOr<std::vector<Finding>> findings = JudgePrograms(*programs, flags.judge);
  if (!findings.ok()) return Fail(findings.status());
  const int status = ExitStatusOf(*findings);
  if (!flags.json) {
    for (const Finding& finding : *findings) Write(stdout, ForLocale(FindingReport(finding)));
    return status;
  }
  Json rows = Json::array();
  for (const Finding& finding : *findings) rows.push_back(Json::parse(FindingJson(finding)));
  PrintJson({{"programs", std::move(rows)}, {"exit_status", status}});
  return status;
}

}  // namespace

void AddBlameCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<BlameFlags>();
  flags->judge.timeout = 110;
  AddOption(*command, "DIR|FILE", flags->paths,
            "A folder of dumps, two modules (before and after), or a snapshot or module with results")
      ->required();
  AddOption(*command, "--results X.npz", flags->judge.results,
            "Results of another run, out0, out1, …, with its inputs in0, in1, …: an .npz or a snapshot; several files "
            "are compared one by one")
      ->allow_extra_args(false);
  AddOption(*command, "--module NAME", flags->module, "The module of the folder (default: each)");
  AddJudgeFlags(*command, flags->judge);
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, &action] { action = [flags] { return Blame(*flags); }; });
}

}  // namespace hloir::tool
