// hloir dumps: a folder of XLA's dumps as one thing.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/inspect/dumps.h"
#include "tools/choices.h"
#include "tools/command.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct DumpsFlags {
  std::string folder;
  ReadDumpsOptions read;
  uint64_t seed = 0;
  bool stages = false, verify = false, json = false;
};

// Runs each module's stages; adds what came of it to `json`.
int VerifyDumps(const DumpsFlags& flags, const DumpFolder& folder, Json& json) {
  CheckOptions options;
  options.seed = flags.seed;
  int worst = kExitGood;
  Progress progress(folder.modules.size());
  for (size_t k = 0; k < folder.modules.size(); ++k) {
    const DumpFolder::Module& module = folder.modules[k];
    progress.Show(k, module.name);
    const StatusOr<DumpVerdict> result = VerifyStages(module, options);
    std::string text;
    if (!result.ok()) text = "not judged: " + result.status().message();
    else if (result->stages == 0) text = "there is one stage only";
    else if (result->guilty < 0) text = fmt::format("{} stages agree with the first", result->stages);
    else
      text = fmt::format("'{}' is the first stage that does not agree: {}",
                         module.stages[static_cast<size_t>(result->guilty)].name, result->verdict.reason);
    if (result.ok() && result->guilty >= 0) worst = kExitDisagree;
    if (!result.ok() && worst == kExitGood) worst = ExitStatusOf(result.status().code());
    json["modules"][k]["verdict"] = text;
    if (result.ok() && result->guilty >= 0)
      json["modules"][k]["guilty"] = module.stages[static_cast<size_t>(result->guilty)].name;
    if (flags.json) continue;
    progress.Clear();
    PrintOut("{}: {}\n", Printable(module.name), Printable(text));
  }
  return worst;
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
  if (!flags.json) {
    if (flags.stages) {
      for (const DumpFolder::Module& module : folder->modules) Write(stdout, ForLocale(StagesReport(module) + "\n"));
    } else {
      Write(stdout, ForLocale(DumpReport(*folder)));
    }
  }
  const int status = flags.verify ? VerifyDumps(flags, *folder, json) : kExitGood;
  if (flags.json) PrintJson(json);
  return status;
}

}  // namespace

void AddDumpsCommand(CLI::App& app, Action& action) {
  auto flags = std::make_shared<DumpsFlags>();
  CLI::App* command = app.add_subcommand("dumps", "Look through a folder of XLA's dumps");
  command->add_option("DIR", flags->folder, "What XLA_FLAGS=--xla_dump_to=DIR or hloir opt --dump-to=DIR wrote")
      ->required()
      ->type_name("");
  command->add_flag("--stages", flags->stages, "For each module, the passes that changed it, and what came of it");
  command
      ->add_option("--find", flags->read.find,
                   "Show instructions whose name, opcode, op_name or source line (FILE:LINE) has this in it")
      ->type_name("TEXT");
  command->add_flag("--verify", flags->verify,
                    "Run each module's stages on the same inputs, and name the first that changes the result");
  command->add_option("--seed", flags->seed, "Of the inputs for --verify")->check(AnySeed())->type_name("N");
  command->add_option("--threads", flags->read.threads, "To read files (default: one for each core)")
      ->check(Between(0, 1024))
      ->type_name("N");
  command->add_flag("--json", flags->json, "Report as JSON");
  command->callback([flags, &action] { action = [flags] { return Dumps(*flags); }; });
}

}  // namespace hloir::tool
