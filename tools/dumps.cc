// hloir dumps: reports on a folder of XLA's dumps.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "inspect/dumps.h"
#include "tools/command.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct DumpsFlags {
  std::string folder, page, harvest, inputs;
  ReadDumpsOptions read;
  uint64_t seed = 0;
  ElidedValues elided;
  bool refuse_elided = false, stages = false, changes = false, verify = false, json = false;
};

// The inputs that --inputs names for a module: an .npz for all, or MODULE.npz in a folder. Empty: generated inputs.
StatusOr<std::vector<InputSet>> InputsOf(const DumpsFlags& flags, const DumpFolder::Module& module) {
  std::vector<InputSet> sets;
  if (flags.inputs.empty()) return sets;
  std::error_code error;
  const std::string path = std::filesystem::is_directory(flags.inputs, error)
                               ? (std::filesystem::path(flags.inputs) / (module.name + ".npz")).string()
                               : flags.inputs;
  HLOIR_ASSIGN_OR_RETURN(StoredValues stored, ReadStoredValues(path));
  const auto stage = std::find_if(module.stages.begin(), module.stages.end(),
                                  [](const DumpFolder::Stage& each) { return each.status.ok(); });
  if (stage == module.stages.end()) return InvalidArgument("no stage can be read");
  HLOIR_ASSIGN_OR_RETURN(const ModuleFile first, ReadModuleFile(stage->path, {.one_module = true}));
  HLOIR_ASSIGN_OR_RETURN(sets.emplace_back().devices.emplace_back(),
                         ArgumentsFromLeaves(first.module(), std::move(stored.inputs)));
  return sets;
}

// Constants that XLA's default dumps leave out are assumed equal where no other values are requested.
StatusOr<DumpVerdict> VerifyModule(const DumpsFlags& flags, const DumpFolder::Module& module,
                                   const CheckOptions& options) {
  ElidedValues elided = flags.elided;
  const bool assume = elided.how == ElidedValues::How::kRefuse && !flags.refuse_elided;
  if (assume) elided.how = ElidedValues::How::kAssume;
  HLOIR_ASSIGN_OR_RETURN(std::vector<InputSet> inputs, InputsOf(flags, module));
  HLOIR_ASSIGN_OR_RETURN(DumpVerdict verdict, VerifyStages(module, options, elided, std::move(inputs)));
  if (assume && verdict.elided > 0)
    verdict.assumptions.insert(fmt::format(
        "elided constants of one shape are equal ({} here; XLA writes them with --xla_dump_large_constants)",
        verdict.elided));
  return verdict;
}

// The stage's file, the first instruction that differs, known faults and notes, a line each.
std::vector<std::string> DetailsOf(const DumpFolder::Stage& stage, const Verdict& verdict) {
  std::vector<std::string> lines{"file: " + stage.path};
  if (verdict.divergence) lines.push_back(verdict.divergence->Details("first stage", stage.name));
  for (const Verdict::Fault& fault : verdict.faults) lines.push_back("known fault: " + fault.ToString());
  for (const std::string& note : verdict.notes) lines.push_back("note: " + note);
  return lines;
}

// Runs each module's stages; adds the results to `json`.
int VerifyDumps(const DumpsFlags& flags, const DumpFolder& folder, Json& json) {
  CheckOptions options;
  options.seed = flags.seed;
  options.divergence = true;
  int worst = kExitGood;
  Progress progress(folder.modules.size());
  for (size_t k = 0; k < folder.modules.size(); ++k) {
    const DumpFolder::Module& module = folder.modules[k];
    progress.Show(k, module.name);
    const StatusOr<DumpVerdict> result = VerifyModule(flags, module, options);
    std::string text;
    if (!result.ok()) text = "not judged: " + result.status().message();
    else if (result->stages == 0) text = "there is only one stage";
    else if (result->guilty < 0)
      text = fmt::format("{} with the first",
                         result->stages == 1 ? "1 stage agrees" : fmt::format("{} stages agree", result->stages));
    else
      text = fmt::format("'{}' is the first stage that does not agree: {}",
                         module.stages[static_cast<size_t>(result->guilty)].name, result->verdict.reason);
    if (result.ok() && !result->assumptions.empty())
      text += fmt::format("; assumed: {}", fmt::join(result->assumptions, "; "));
    if (result.ok() && result->guilty >= 0) worst = kExitDisagree;
    if (!result.ok() && worst == kExitGood) worst = ExitStatusOf(result.status().code());
    json["modules"][k]["verdict"] = text;
    std::vector<std::string> details;
    if (result.ok() && result->guilty >= 0) {
      const DumpFolder::Stage& guilty = module.stages[static_cast<size_t>(result->guilty)];
      json["modules"][k]["guilty"] = guilty.name;
      details = DetailsOf(guilty, result->verdict);
      json["modules"][k]["details"] = details;
    }
    if (flags.json) continue;
    progress.Clear();
    PrintOut("{}: {}\n", Printable(module.name), Printable(text));
    for (const std::string& line : details) Write(stdout, ForLocale("  " + Printable(line) + "\n"));
  }
  return worst;
}

// Runs the snapshots, and compares the results with the stored ones.
int RunAllSnapshots(const DumpsFlags& flags, const DumpFolder& folder, Json& json) {
  int worst = kExitGood;
  for (size_t k = 0; k < folder.modules.size(); ++k) {
    const DumpFolder::Module& module = folder.modules[k];
    for (const SnapshotVerdict& verdict : RunSnapshots(module)) {
      const bool agrees = verdict.comparison.agree;
      const std::string text = !verdict.status.ok()   ? "not run: " + verdict.status.message()
                               : !verdict.has_results ? "runs; there are no stored results"
                               : agrees               ? "equals the stored results"
                                                      : verdict.comparison.ToString("computed", "stored");
      if (!verdict.status.ok() && worst == kExitGood) worst = ExitStatusOf(verdict.status.code());
      if (verdict.status.ok() && !agrees) worst = kExitDisagree;
      Json row = {{"file", verdict.path}, {"verdict", text}};
      if (verdict.status.ok() && verdict.has_results) row["agrees"] = agrees;
      json["modules"][k]["snapshot_verdicts"].push_back(std::move(row));
      if (!flags.json)
        PrintOut("{}: {}: {}\n", Printable(module.name), Printable(verdict.path.substr(verdict.path.rfind('/') + 1)),
                 Printable(text));
    }
  }
  return worst;
}

// The changes of each pass, instruction by instruction.
void ShowChanges(const DumpFolder& folder, int threads) {
  for (const DumpFolder::Module& module : folder.modules) {
    const std::vector<std::string> changes = StageChanges(module, 6, threads);
    for (size_t k = 0; k < changes.size(); ++k) {
      if (changes[k].empty()) continue;
      PrintOut("== {}: {}\n", Printable(module.name), Printable(module.stages[k].name));
      Write(stdout, ForLocale(changes[k] + "\n"));
    }
  }
}

void AddChanges(const DumpFolder& folder, int threads, Json& json) {
  for (size_t m = 0; m < folder.modules.size(); ++m) {
    const std::vector<std::string> changes = StageChanges(folder.modules[m], 6, threads);
    for (size_t k = 0; k < changes.size(); ++k)
      if (!changes[k].empty()) json["modules"][m]["stages"][k]["changes"] = changes[k];
  }
}

int Dumps(DumpsFlags flags) {
  if (flags.json) ReportErrorsAsJson();
  StatusOr<DumpFolder> folder = Internal("");
  {
    std::unique_ptr<Progress> progress;
    flags.read.on_progress = [&](size_t done, size_t total) {
      if (progress == nullptr) progress = std::make_unique<Progress>(total);
      if (done % 16 == 0) progress->Show(done, "");
    };
    folder = ReadDumps(flags.folder, flags.read);
  }
  if (!folder.ok()) return Fail(folder.status(), flags.folder);
  Json json = flags.json || flags.verify ? Json::parse(DumpJson(*folder)) : Json();
  if (flags.json && flags.changes) AddChanges(*folder, flags.read.threads, json);
  if (!flags.json) {
    if (flags.changes) {
      ShowChanges(*folder, flags.read.threads);
    } else if (flags.stages) {
      for (const DumpFolder::Module& module : folder->modules) Write(stdout, ForLocale(StagesReport(module) + "\n"));
    } else {
      Write(stdout, ForLocale(DumpReport(*folder)));
    }
  }
  if (!flags.page.empty()) {
    if (Status written = WriteOutput(flags.page, DumpPage(*folder, flags.read.threads)); !written.ok())
      return Fail(written, flags.page);
  }
  if (!flags.harvest.empty()) {
    const StatusOr<Harvest> harvest = HarvestDumps(*folder, flags.harvest, flags.read.threads);
    if (!harvest.ok()) return Fail(harvest.status(), flags.harvest);
    if (flags.json) {
      json["harvest"] = {
          {"stages", harvest->stages}, {"modules", harvest->modules}, {"duplicates", harvest->duplicates}};
    } else {
      PrintOut("{}: {} modules from {} stages, {} of them duplicates\n", flags.harvest, harvest->modules,
               harvest->stages, harvest->duplicates);
    }
  }
  int status = kExitGood;
  if (flags.verify) {
    status = VerifyDumps(flags, *folder, json);
    const int snapshots = RunAllSnapshots(flags, *folder, json);
    if (status == kExitGood || snapshots == kExitDisagree) status = snapshots;
  }
  if (flags.json) PrintJson(json);
  return status;
}

}  // namespace

void AddDumpsCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<DumpsFlags>();
  AddOption(*command, "DIR", flags->folder, "Folder written by XLA_FLAGS=--xla_dump_to=DIR or hloir opt --dump-to=DIR")
      ->required();
  command->add_flag("--stages", flags->stages, "List the passes that changed each module, with the resulting counts");
  command->add_flag("--changes", flags->changes, "List the changes of each pass, instruction by instruction");
  AddOption(*command, "--find TEXT", flags->read.find,
            "Show instructions whose name, opcode, op_name or source line (FILE:LINE) contains this");
  command->add_flag("--verify", flags->verify,
                    "Run the stages of each module on the same inputs and report the first that changes the results; "
                    "run snapshots on their own inputs");
  AddOption(*command, "-o,--output OUT.html", flags->page, "Write the report as a self-contained HTML page");
  AddOption(*command, "--harvest FOLDER", flags->harvest,
            "Write every distinct module, without metadata, and an index to this folder");
  AddOption(*command, "--seed N", flags->seed, "Seed of the generated inputs for --verify")->check(AnySeed());
  AddOption(*command, "--threads N", flags->read.threads, "Threads that read files (default: one per core)")
      ->check(Between(0, 1024));
  AddOption(
      *command, "--inputs X.npz", flags->inputs,
      "Inputs in0, in1, ... of --verify in this .npz, or in MODULE.npz in this folder (default: generated inputs)");
  AddElidedFlag(*command, flags->elided, "assume for --verify")->each([flags](const std::string& how) {
    flags->refuse_elided = how == "refuse";
  });
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, &action] { action = [flags] { return Dumps(*flags); }; });
}

}  // namespace hloir::tool
