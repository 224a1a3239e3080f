// hloir run: runs a module on inputs from an .npz, or on made-up ones.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/arguments.h"
#include "tools/choices.h"
#include "tools/command.h"
#include "tools/devices.h"
#include "tools/feeds.h"
#include "tools/files.h"
#include "tools/median.h"
#include "tools/modules.h"
#include "tools/npz.h"
#include "tools/profile.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/runner.h"
#include "tools/terminal.h"
#include "tools/value_summary.h"

namespace hloir::tool {
namespace {

struct RunFlags {
  std::string file, inputs, outputs, infeed, outfeed, trace;
  uint64_t seed = 0;
  int repeat = 1;
  bool json = false, has_seed = false;
  bool fake = false, profile = false, trace_values = false;
  DeviceCounts counts{0, 0};  // 0: as the module says
  RunnerOptions runner;
};

// A bar on a terminal, once a run takes its time: what of the entry computation is done.
class RunProgress {
 public:
  void Show(int64_t done, int64_t total) {
    if (watch_.Milliseconds() < 300) return;
    if (!bar_) bar_.emplace(static_cast<size_t>(total));
    bar_->Show(static_cast<size_t>(done), "steps");
    watch_ = Stopwatch();
  }
  void Clear() { bar_.reset(); }

 private:
  Stopwatch watch_;
  std::optional<Progress> bar_;
};

// The result's leaves, one a line; of large ones the beginning.
void PrintLeaves(const std::vector<Literal>& leaves, const std::string& prefix = "") {
  constexpr size_t kShown = 2000;
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::string text = leaves[i].ToString();
    if (text.size() > kShown) text = text.substr(0, text.rfind(',', kShown)) + ", …";
    fmt::print("{}out{} = {} {}\n", prefix, i, leaves[i].shape().ToString(false), text);
  }
}

// From an .npz; else those that a snapshot brings along; else made up, also where the user names a seed or asks for it.
StatusOr<std::vector<Literal>> ArgumentsOf(const RunFlags& flags, const ModuleFile& file) {
  if (flags.fake) return MakeArguments(file.module(), "", flags.seed);
  if (!flags.inputs.empty() || flags.has_seed || !file.has_arguments())
    return MakeArguments(file.module(), flags.inputs, flags.seed);
  HLOIR_ASSIGN_OR_RETURN(StoredValues stored, StoredValuesOf(file.proto));
  return ArgumentsFromLeaves(file.module(), std::move(stored.inputs));
}

// Results after a run, unless another report takes their place.
Status Report(const RunFlags& flags, const Runner& runner, const std::vector<Literal>& leaves,
              nlohmann::ordered_json timing) {
  if (!flags.outputs.empty()) HLOIR_RETURN_IF_ERROR(WriteNpz(flags.outputs, "out", Pointers(leaves)));
  const ExecutionProfile profile = runner.Profile();
  if (!flags.trace.empty()) HLOIR_RETURN_IF_ERROR(WriteFile(flags.trace, ChromeTrace(profile)));
  if (flags.json) {
    if (flags.profile) timing["profile"] = ProfileJson(profile);
    fmt::print("{}\n", timing.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (flags.profile) {
    fmt::print("{}", ProfileTable(profile, UseColor(stdout)));
  } else if (flags.outputs.empty()) {
    PrintLeaves(leaves);
  }
  return OkStatus();
}

// On several devices, simulated one after the other by the reference engine.
int RunSeveral(const RunFlags& flags, const std::string& file, const ModuleFile& loaded, const DeviceCounts& counts,
               const RunnerOptions& options, double load_ms) {
  const HloModule& module = loaded.module();
  if (options.profile) return Fail(Unimplemented("a profile is of one device, by the fast engine"), file);
  const bool snapshot = !flags.fake && flags.inputs.empty() && !flags.has_seed && loaded.has_arguments();
  auto arguments =
      DeviceArguments(module, counts, flags.fake ? "" : flags.inputs, flags.seed, snapshot ? &loaded.proto : nullptr);
  if (!arguments.ok()) return Fail(arguments.status(), file);
  std::vector<std::vector<const Literal*>> pointers;
  for (const std::vector<Literal>& each : *arguments) pointers.push_back(Pointers(each));
  std::vector<double> runs_ms;
  std::vector<std::vector<Literal>> leaves;
  for (int i = 0; i < flags.repeat; ++i) {
    const Stopwatch run;
    auto results = RunOnDevices(module, counts, pointers, ToEvaluatorOptions(options));
    runs_ms.push_back(run.Milliseconds());
    if (!results.ok()) return Fail(results.status(), file);
    leaves.clear();
    for (const Literal& result : *results) leaves.push_back(ResultLeaves(result));
  }
  if (!flags.outputs.empty()) {
    if (Status written = WriteDeviceResults(flags.outputs, leaves); !written.ok()) return Fail(written);
  }
  if (flags.json) {
    const nlohmann::ordered_json timing = {
        {"file", file},       {"engine", "reference"}, {"replicas", counts.replicas}, {"partitions", counts.partitions},
        {"load_ms", load_ms}, {"prepare_ms", 0.0},     {"run_ms", Median(runs_ms)},   {"runs_ms", runs_ms},
        {"arena_bytes", 0}};
    fmt::print("{}\n", timing.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (flags.outputs.empty()) {
    for (size_t d = 0; d < leaves.size(); ++d) PrintLeaves(leaves[d], DevicePrefix(static_cast<int64_t>(d)));
  }
  return kExitGood;
}

int Run(const RunFlags& flags) {
  const std::string file = DisplayName(flags.file);
  const Stopwatch load;
  auto loaded = LoadModuleFile(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  const double load_ms = load.Milliseconds();
  const HloModule& module = loaded->module();

  RunnerOptions options = flags.runner;
  options.profile = flags.profile || !flags.trace.empty();
  FeedReader fed;
  FeedWriter taken;
  if (!flags.infeed.empty()) {
    auto opened = FeedReader::Open(flags.infeed);
    if (!opened.ok()) return Fail(opened.status());
    fed = std::move(*opened);
    options.infeed = [&fed](const Shape& shape) { return fed.Take(shape); };
  }
  if (!flags.outfeed.empty()) options.outfeed = [&taken](const Literal& value) { return taken.Add(value), OkStatus(); };
  if (flags.trace_values) {
    options.engine = Engine::kReference;
    options.on_result = [](const HloInstruction& instruction, const Literal& value) {
      fmt::print("{} = {}\n", instruction.name(), ValueSummary(value));
    };
  }
  DeviceCounts counts = DeviceCountsOf(module);
  const bool asked = flags.counts.replicas > 0 || flags.counts.partitions > 0;
  if (flags.counts.replicas > 0) counts.replicas = flags.counts.replicas;
  if (flags.counts.partitions > 0) counts.partitions = flags.counts.partitions;
  if (counts.devices() > 1 && (asked || UsesDevices(module))) {
    const int status = RunSeveral(flags, file, *loaded, counts, options, load_ms);
    if (status != kExitGood || flags.outfeed.empty()) return status;
    const Status written = taken.Write(flags.outfeed);
    return written.ok() ? status : Fail(written);
  }

  auto arguments = ArgumentsOf(flags, *loaded);
  if (!arguments.ok()) return Fail(arguments.status(), file);
  const std::vector<const Literal*> pointers = Pointers(*arguments);
  RunProgress progress;
  if (IsTerminal(stderr))
    options.on_progress = [&progress](int64_t done, int64_t total) { progress.Show(done, total); };

  const Stopwatch prepare;
  auto runner = Runner::Prepare(module, options);
  if (!runner.ok()) return Fail(runner.status(), file);
  const double prepare_ms = prepare.Milliseconds();

  std::vector<double> runs_ms;
  Literal result;
  for (int i = 0; i < flags.repeat; ++i) {
    fed.Rewind();
    taken.Clear();
    const Stopwatch run;
    Status status;
    if (i == 0) {
      auto first = runner->Run(pointers);
      if (first.ok()) result = std::move(*first);
      else status = first.status();
    } else {
      status = runner->RunInto(pointers, &result);
    }
    runs_ms.push_back(run.Milliseconds());
    progress.Clear();
    if (!status.ok()) return Fail(status, file);
  }

  const std::vector<Literal> leaves = ResultLeaves(result);
  if (!flags.outfeed.empty()) {
    if (Status written = taken.Write(flags.outfeed); !written.ok()) return Fail(written);
  }
  const nlohmann::ordered_json timing = {{"file", file},
                                         {"engine", runner->engine()},
                                         {"load_ms", load_ms},
                                         {"prepare_ms", prepare_ms},
                                         {"run_ms", Median(runs_ms)},
                                         {"runs_ms", runs_ms},
                                         {"arena_bytes", runner->arena_bytes()}};
  if (Status reported = Report(flags, *runner, leaves, timing); !reported.ok()) return Fail(reported);
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
  command->add_option("FILE", flags->file, "HLO text, HloProto or a snapshot, JSON; also gzipped")
      ->required()
      ->type_name("");
  command
      ->add_option("--inputs", flags->inputs,
                   "Inputs in0, in1, … of this .npz (default: the snapshot's own, else made from the seed)")
      ->type_name("X.npz");
  command->add_option("--outputs", flags->outputs, "Write the results there, as out0, out1, …")->type_name("Y.npz");
  CLI::Option* seed =
      command->add_option("--seed", flags->seed, "Of made-up inputs; odd ones have corner cases such as NaN among them")
          ->type_name("N");
  command->add_option("--repeat", flags->repeat, "Run so many times")
      ->check(CLI::Range(1, 100000000).description(""))
      ->type_name("N");
  command->add_option("--threads", flags->runner.threads, "Default: as many as the machine has")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N");
  AddChoice(*command, "--engine", flags->runner.engine, kEngines,
            "fast (prepared plan) or reference (one plain loop per op)")
      ->type_name("ENGINE");
  AddChoice(*command, "--elided", flags->runner.elided, kElided,
            "What a constant {...} is: refuse (the default), zeros, iota or random")
      ->type_name("HOW");
  command
      ->add_option(
          "--num-replicas", flags->counts.replicas,
          "Simulate so many (default: the module's, if they exchange data); inputs are device3.in0, … or in0 for all")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  command
      ->add_option("--num-partitions", flags->counts.partitions,
                   "So many of each replica; device = replica * partitions + partition")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  command->add_option("--infeed", flags->infeed, "What infeeds get: in0, in1, … of this .npz, in order")
      ->type_name("X.npz");
  command->add_option("--outfeed", flags->outfeed, "Write what outfeeds give there, as out0, out1, …")
      ->type_name("Y.npz");
  command->add_flag("--force-fake-data", flags->fake, "Make inputs from the seed, whatever was given");
  command->add_option("--max-steps", flags->runner.max_steps, "Stop a run after so many steps, loops included")
      ->check(CLI::Range(int64_t{1}, EvaluatorOptions{}.max_steps).description(""))
      ->type_name("N");
  command->add_option("--max-bytes", flags->runner.max_bytes, "Refuse a run whose values take more than that")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 60).description(""))
      ->type_name("N");
  command->add_flag("!--no-fusion", flags->runner.fuse,
                    "Run each instruction by itself: the engine joins none that the module does not");
  command->add_flag("--profile", flags->profile, "Print what each step of the plan took, in place of results");
  command->add_option("--profile-trace", flags->trace, "Write each step's start and end there, as a Chrome trace")
      ->type_name("T.json");
  command->add_flag("--trace-values", flags->trace_values,
                    "Print a line about each instruction's result (by the reference engine)");
  command->add_flag("--json", flags->json,
                    "Report as JSON: load_ms, prepare_ms, run_ms (median), runs_ms, arena_bytes");
  command->callback([flags, seed, &action] {
    flags->has_seed = seed->count() > 0;
    action = [flags] { return Run(*flags); };
  });
}

}  // namespace hloir::tool
