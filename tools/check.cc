// hloir check: parse and verify.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/report.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct CheckFlags {
  std::vector<std::string> files;
  bool no_verify = false, allow_unknown = false, json = false, verbose = false;
};

// One file. A person at a terminal is told of what is good, too; a script only if it asks.
Json CheckFile(const std::string& path, const CheckFlags& flags) {
  const std::string file = DisplayName(path);
  Json report = {{"file", file}};
  auto loaded = ReadModuleFile(path, {.verify = !flags.no_verify, .allow_unknown = flags.allow_unknown});
  if (!loaded.ok()) {
    report["errors"] = Json::parse(DiagnosticsJson(loaded.status(), file));
    report["exit_status"] = Fail(loaded.status(), file);
    return report;
  }
  int64_t computations = 0, instructions = 0;
  for (const auto& module : loaded->modules) {
    computations += module->computation_count();
    instructions += module->instruction_count();
  }
  report["modules"] = loaded->modules.size();
  report["computations"] = computations;
  report["instructions"] = instructions;
  report["exit_status"] = static_cast<int>(kExitGood);
  if (!flags.json && (flags.verbose || IsTerminal(stdout))) {
    PrintOut("{} {}: {} instructions in {} computations\n", Paint("ok", Color::kGreen, UseColor(stdout)),
             Printable(file), instructions, computations);
  }
  return report;
}

int Check(const CheckFlags& flags) {
  int worst = kExitGood;
  Json all = Json::array();
  for (const std::string& path : flags.files) {
    all.push_back(CheckFile(path, flags));
    worst = std::max(worst, all.back()["exit_status"].get<int>());
  }
  if (flags.json) PrintJson(all);
  return worst;
}

}  // namespace

void AddCheckCommand(CLI::App& app, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = app.add_subcommand("check", "Parse and verify modules");
  AddOption(*command, "FILE", flags->files, "Modules: HLO text, HloProto or a snapshot, JSON; also gzipped")
      ->required();
  command->add_flag("--no-verify", flags->no_verify, "Parse alone");
  command->add_flag("--allow-unknown", flags->allow_unknown, "Accept unknown opcodes and attributes");
  command->add_flag("--verbose", flags->verbose, "Print a line for each valid file (on a terminal always)");
  command->add_flag("--json", flags->json, "Report as JSON, errors with line and column");
  command->callback([flags, &action] { action = [flags] { return Check(*flags); }; });
}

}  // namespace hloir::tool
