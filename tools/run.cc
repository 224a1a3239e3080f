// hloir run: runs a module on inputs from an .npz, or on made-up ones.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/arguments.h"
#include "tools/choices.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/median.h"
#include "tools/modules.h"
#include "tools/npz.h"
#include "tools/report.h"
#include "tools/runner.h"

namespace hloir::tool {
namespace {

struct RunFlags {
  std::string file, inputs, outputs;
  uint64_t seed = 0;
  int repeat = 1;
  bool json = false, has_seed = false;
  RunnerOptions runner;
};

// The result's leaves, one a line; of large ones the beginning.
void PrintLeaves(const std::vector<Literal>& leaves) {
  constexpr size_t kShown = 2000;
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::string text = leaves[i].ToString();
    if (text.size() > kShown) text = text.substr(0, text.rfind(',', kShown)) + ", …";
    fmt::print("out{} = {} {}\n", i, leaves[i].shape().ToString(false), text);
  }
}

// From an .npz; else those that a snapshot brings along; else made up, also where the user names a seed.
StatusOr<std::vector<Literal>> ArgumentsOf(const RunFlags& flags, const ModuleFile& file) {
  if (!flags.inputs.empty() || flags.has_seed || !file.has_arguments()) return MakeArguments(file.module(), flags.inputs, flags.seed);
  HLOIR_ASSIGN_OR_RETURN(StoredValues stored, StoredValuesOf(file.proto));
  return ArgumentsFromLeaves(file.module(), std::move(stored.inputs));
}

int Run(const RunFlags& flags) {
  const std::string file = DisplayName(flags.file);
  const Stopwatch load;
  auto loaded = LoadModuleFile(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  const double load_ms = load.Milliseconds();
  const HloModule& module = loaded->module();

  auto arguments = ArgumentsOf(flags, *loaded);
  if (!arguments.ok()) return Fail(arguments.status(), file);
  const std::vector<const Literal*> pointers = Pointers(*arguments);

  const Stopwatch prepare;
  auto runner = Runner::Prepare(module, flags.runner);
  if (!runner.ok()) return Fail(runner.status(), file);
  const double prepare_ms = prepare.Milliseconds();

  std::vector<double> runs_ms;
  const Stopwatch first;
  auto result = runner->Run(pointers);
  runs_ms.push_back(first.Milliseconds());
  if (!result.ok()) return Fail(result.status(), file);
  for (int i = 1; i < flags.repeat; ++i) {
    const Stopwatch run;
    Status status = runner->RunInto(pointers, &*result);
    runs_ms.push_back(run.Milliseconds());
    if (!status.ok()) return Fail(status, file);
  }

  const std::vector<Literal> leaves = ResultLeaves(*result);
  if (!flags.outputs.empty()) {
    if (Status written = WriteNpz(flags.outputs, "out", Pointers(leaves)); !written.ok()) return Fail(written);
  }
  if (flags.json) {
    const nlohmann::ordered_json report = {
        {"file", file},         {"engine", runner->engine()},   {"load_ms", load_ms},
        {"prepare_ms", prepare_ms}, {"run_ms", Median(runs_ms)}, {"runs_ms", runs_ms},
        {"arena_bytes", runner->arena_bytes()}};
    fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (flags.outputs.empty()) {
    PrintLeaves(leaves);
  }
  return kExitGood;
}

}  // namespace

void AddRunCommand(CLI::App& app, Action& action) {
  static const std::map<std::string, Engine> kEngines = {{"fast", Engine::kFast}, {"reference", Engine::kReference}};
  static const std::map<std::string, ElidedConstants> kElided = {{"refuse", ElidedConstants::kRefuse},
                                                                 {"zeros", ElidedConstants::kZeros},
                                                                 {"iota", ElidedConstants::kIota},
                                                                 {"random", ElidedConstants::kRandom}};
  auto flags = std::make_shared<RunFlags>();
  CLI::App* command = app.add_subcommand("run", "Run a module");
  command->add_option("FILE", flags->file, "HLO text, HloProto or a snapshot, JSON; also gzipped")->required()->type_name("");
  command->add_option("--inputs", flags->inputs, "Inputs in0, in1, … of this .npz (default: the snapshot's own, else made from the seed)")->type_name("X.npz");
  command->add_option("--outputs", flags->outputs, "Write the results there, as out0, out1, …")->type_name("Y.npz");
  CLI::Option* seed = command->add_option("--seed", flags->seed, "Of made-up inputs; odd ones have corner cases such as NaN among them")->type_name("N");
  command->add_option("--repeat", flags->repeat, "Run so many times")->check(CLI::Range(1, 100000000).description(""))->type_name("N");
  command->add_option("--threads", flags->runner.threads, "Default: as many as the machine has")
      ->check(CLI::Range(0, 1024).description(""))->type_name("N");
  AddChoice(*command, "--engine", flags->runner.engine, kEngines, "fast (prepared plan) or reference (one plain loop per op)")
      ->type_name("ENGINE");
  AddChoice(*command, "--elided", flags->runner.elided, kElided, "What a constant {...} is: refuse (the default), zeros, iota or random")
      ->type_name("HOW");
  command->add_flag("--json", flags->json, "Report as JSON: load_ms, prepare_ms, run_ms (median), runs_ms, arena_bytes");
  command->callback([flags, seed, &action] {
    flags->has_seed = seed->count() > 0;
    action = [flags] { return Run(*flags); };
  });
}

}  // namespace hloir::tool
