// hloir check: parse and verify.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/parser.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/modules.h"
#include "tools/report.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

struct CheckFlags {
  std::vector<std::string> files;
  bool no_verify = false, json = false;
};

// One file; its modules are counted into `report` if all is well.
int CheckFile(const std::string& path, const CheckFlags& flags, nlohmann::ordered_json& report) {
  const std::string file = DisplayName(path);
  StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return Fail(text.status(), file);
  ParserOptions options;
  options.file_name = file;
  auto modules = ParseHloModules(*text, options);
  if (!modules.ok()) return Fail(modules.status(), file);
  int64_t computations = 0, instructions = 0;
  for (const auto& module : *modules) {
    if (!flags.no_verify) {
      if (std::string errors = VerifierReport(*module, file, *text); !errors.empty()) return Fail(InvalidArgument(errors), file);
    }
    computations += module->computation_count();
    instructions += module->instruction_count();
  }
  report["modules"] = modules->size();
  report["computations"] = computations;
  report["instructions"] = instructions;
  if (!flags.json && IsTerminal(stdout)) {
    fmt::print("{} {}: {} instructions in {} computations\n", Paint("ok", Color::kGreen, UseColor(stdout)), file, instructions,
               computations);
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
  command->add_option("FILE", flags->files, "HLO text")->required()->type_name("");
  command->add_flag("--no-verify", flags->no_verify, "Parse alone");
  command->add_flag("--json", flags->json, "Report as JSON");
  command->callback([flags, &action] { action = [flags] { return Check(*flags); }; });
}

}  // namespace hloir::tool
