// hloir check: parse and verify.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command.h"
#include "tools/files.h"
#include "tools/modules.h"
#include "tools/report.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

struct CheckFlags {
  std::vector<std::string> files;
  bool no_verify = false, allow_unknown = false, json = false;
};

// One file; its modules are counted into `report` if all is well.
int CheckFile(const std::string& path, const CheckFlags& flags, nlohmann::ordered_json& report) {
  const std::string file = DisplayName(path);
  auto loaded = LoadModules(path, {.verify = !flags.no_verify, .allow_unknown = flags.allow_unknown});
  if (!loaded.ok()) return Fail(loaded.status(), file);
  int64_t computations = 0, instructions = 0;
  for (const auto& module : loaded->modules) {
    computations += module->computation_count();
    instructions += module->instruction_count();
  }
  report["modules"] = loaded->modules.size();
  report["computations"] = computations;
  report["instructions"] = instructions;
  if (!flags.json && IsTerminal(stdout)) {
    fmt::print("{} {}: {} instructions in {} computations\n", Paint("ok", Color::kGreen, UseColor(stdout)), file,
               instructions, computations);
  }
  return kExitGood;
}

int Check(const CheckFlags& flags) {
  int worst = kExitGood;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& path : flags.files) {
    nlohmann::ordered_json report;
    report["file"] = DisplayName(path);
    const int status = CheckFile(path, flags, report);
    report["exit_status"] = status;
    all.push_back(std::move(report));
    worst = std::max(worst, status);
  }
  if (flags.json) fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return worst;
}

}  // namespace

void AddCheckCommand(CLI::App& app, Action& action) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = app.add_subcommand("check", "Parse and verify modules");
  command->add_option("FILE", flags->files, "Modules: HLO text, HloProto or a snapshot, JSON; also gzipped")
      ->required()
      ->type_name("");
  command->add_flag("--no-verify", flags->no_verify, "Parse alone");
  command->add_flag("--allow-unknown", flags->allow_unknown, "Take opcodes and attributes that no table knows");
  command->add_flag("--json", flags->json, "Report as JSON");
  command->callback([flags, &action] { action = [flags] { return Check(*flags); }; });
}

}  // namespace hloir::tool
