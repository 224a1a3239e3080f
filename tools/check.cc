// hloir check: parse and verify, several files at a time.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "inspect/folder.h"
#include "hloir/io.h"
#include "hloir/report.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct CheckFlags {
  std::vector<std::string> files;
  int threads = 0;
  bool no_verify = false, allow_unknown = false, json = false, verbose = false;
};

struct Checked {
  Status status;
  size_t modules = 0;
  int64_t computations = 0, instructions = 0;
};

Checked CheckFile(const std::string& path, const CheckFlags& flags) {
  Checked checked;
  const auto loaded = ReadModuleFile(path, {.verify = !flags.no_verify, .allow_unknown = flags.allow_unknown});
  checked.status = loaded.status();
  if (!loaded.ok()) return checked;
  checked.modules = loaded->modules.size();
  for (const auto& module : loaded->modules) {
    checked.computations += module->computation_count();
    checked.instructions += module->instruction_count();
  }
  return checked;
}

// On a terminal, modules without errors are reported too; in a script only with --verbose.
Json Report(const std::string& path, const Checked& checked, const CheckFlags& flags) {
  const std::string file = DisplayName(path);
  Json report = {{"file", file}};
  if (!checked.status.ok()) {
    report["errors"] = Json::parse(DiagnosticsJson(checked.status, file));
    report["exit_status"] = Fail(checked.status, file);
    return report;
  }
  report["modules"] = checked.modules;
  report["computations"] = checked.computations;
  report["instructions"] = checked.instructions;
  report["exit_status"] = static_cast<int>(kExitGood);
  if (!flags.json && (flags.verbose || IsTerminal(stdout))) {
    PrintOut("{} {}: {} instructions in {} computations\n", Paint("ok", Color::kGreen, UseColor(stdout)),
             Printable(file), checked.instructions, checked.computations);
  }
  return report;
}

// Folders give way to the modules in them.
StatusOr<std::vector<std::string>> FilesOf(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> inside, ListModuleFiles(path));
    if (inside.empty()) return InvalidArgument(fmt::format("{}: error: no modules in this directory", path));
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

int Check(const CheckFlags& flags) {
  const auto files = FilesOf(flags.files);
  if (!files.ok()) return Fail(files.status());
  int worst = kExitGood;
  Json all = Json::array();
  std::vector<Checked> checked(files->size());
  ForEachInOrder(
      files->size(), flags.threads, [&](size_t k) { checked[k] = CheckFile((*files)[k], flags); },
      [&](size_t k) {
        all.push_back(Report((*files)[k], checked[k], flags));
        worst = std::max(worst, all.back()["exit_status"].get<int>());
      });
  if (flags.json) PrintJson(all);
  return worst;
}

}  // namespace

void AddCheckCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<CheckFlags>();
  AddOption(*command, "FILE", flags->files,
            "Modules (HLO text, HloProto, snapshot or JSON, optionally gzipped) or folders of modules")
      ->required();
  command->add_flag("--no-verify", flags->no_verify, "Do not run the verifier");
  command->add_flag("--allow-unknown", flags->allow_unknown, "Accept unknown opcodes and attributes");
  command->add_flag("--verbose", flags->verbose, "Print a line for each valid file (the default on a terminal)");
  AddOption(*command, "--threads N", flags->threads, "Threads that read files (default: one per core)")
      ->check(Between(1, 1024));
  command->add_flag("--json", flags->json, "Print the report as JSON, with line and column of each error");
  command->callback([flags, &action] { action = [flags] { return Check(*flags); }; });
}

}  // namespace hloir::tool
