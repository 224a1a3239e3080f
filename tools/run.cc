// hloir run: runs a module on inputs from an .npz, or on generated ones.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/sharded.h"
#include "hloir/check.h"
#include "hloir/evaluator.h"
#include "inspect/profile.h"
#include "hloir/io.h"
#include "hloir/report.h"
#include "hloir/executable.h"
#include "hloir/plan_cache.h"
#include "hloir/runner.h"
#include "support/stopwatch.h"
#include "tools/bind_sizes.h"
#include "tools/command.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/memory.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/terminal.h"
#include "tools/unknown_calls.h"

namespace hloir::tool {
namespace {

struct RunFlags {
  RunFlags() { runner.unknown_calls = UnknownCalls::kUninterpreted; }
  std::vector<std::string> files;  // several: a program for each partition
  std::string inputs, outputs, infeed, outfeed, host_transfer, trace, page, cache;
  uint64_t seed = 0;
  int repeat = 1;
  bool json = false, has_seed = false;
  bool fake = false, profile = false, trace_values = false;
  DeviceCounts counts{0, 0};  // 0: as the module says
  RunnerOptions runner;
  ElidedValues elided;
};

// A progress bar for long runs on a terminal: the finished part of the entry computation.
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

// Prints the result's leaves; for large ones the beginning.
void PrintLeaves(const std::vector<Literal>& leaves, const std::string& prefix = "") {
  constexpr size_t kShown = 2000;
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::string text = leaves[i].ToString();
    if (text.size() > kShown) text = text.substr(0, text.rfind(',', kShown)) + ForLocale(", …");
    PrintText(fmt::format("{}out{} = {} {}\n", prefix, i, leaves[i].shape().ToString(false), text));
  }
}

// The inputs of each device: from an .npz, otherwise from the snapshot, otherwise generated (equal for all devices),
// also if the user requests it or gives a seed.
using DeviceArguments = std::vector<std::vector<Literal>>;  // or of one device, for all
StatusOr<DeviceArguments> ArgumentsOf(const RunFlags& flags, const ModuleFile& file, const DeviceCounts& counts) {
  if (!flags.fake && !flags.inputs.empty()) return ReadDeviceArguments(file.module(), counts, flags.inputs);
  if (!flags.fake && !flags.has_seed && file.has_arguments())
    return DeviceArgumentsOf(file.module(), counts, file.proto);
  HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, MakeFakeInputs(file.module(), flags.seed));
  return DeviceArguments{std::move(arguments)};
}

// Binds unbounded dimensions to the sizes of the inputs.
Status BindSizesOf(const RunFlags& flags, ModuleFile& file) {
  if (!HasUnboundedSizes(file.module()) || flags.fake) return OkStatus();
  if (flags.inputs.empty() && (flags.has_seed || !file.has_arguments())) return OkStatus();
  HLOIR_ASSIGN_OR_RETURN(const StoredValues given,
                         flags.inputs.empty() ? StoredValuesOf(file.proto) : ReadStoredValues(flags.inputs));
  return BindGivenSizes(file.module(), given.inputs);
}

// With several programs, each device's arguments come from its own program.
StatusOr<DeviceArguments> ArgumentsOf(const RunFlags& flags, const std::vector<ModuleFile>& files,
                                      const DeviceCounts& counts) {
  if (files.size() == 1) return ArgumentsOf(flags, files[0], counts);
  DeviceArguments all;
  for (size_t p = 0; p < files.size(); ++p) {
    HLOIR_ASSIGN_OR_RETURN(DeviceArguments arguments, ArgumentsOf(flags, files[p], counts));
    all.push_back(std::move(arguments[std::min(p, arguments.size() - 1)]));
  }
  return all;
}

// Uses several devices only if the module, its inputs or the user name them.
StatusOr<DeviceCounts> CountsOf(const RunFlags& flags, const HloModule& module) {
  if (flags.files.size() > 1) {
    const DeviceCounts programs{1, static_cast<int64_t>(flags.files.size())};
    if (flags.counts.replicas > 1 || flags.counts.partitions > 0)
      return InvalidArgument("of several programs each runs on a partition of its own, in one replica");
    HLOIR_RETURN_IF_ERROR(CheckDeviceCounts(programs));
    return programs;
  }
  DeviceCounts counts = DeviceCountsOf(module);
  bool asked = flags.counts.replicas > 0 || flags.counts.partitions > 0;
  if (flags.counts.replicas > 0) counts.replicas = flags.counts.replicas;
  if (flags.counts.partitions > 0) counts.partitions = flags.counts.partitions;
  if (!flags.fake && !flags.inputs.empty()) {
    const StatusOr<bool> has_own = NpzHas(flags.inputs, DevicePrefix(0) + "in");
    asked = asked || (has_own.ok() && *has_own);
  }
  if (!asked && !UsesDevices(module)) return DeviceCounts();
  HLOIR_RETURN_IF_ERROR(CheckDeviceCounts(counts));
  return counts;
}

// Prints the results, unless another report replaces them.
Status Report(const RunFlags& flags, const HloModule& module, const Runner& runner,
              const std::vector<std::vector<Literal>>& leaves, Json timing) {
  if (!flags.outputs.empty()) HLOIR_RETURN_IF_ERROR(WriteLeaves(flags.outputs, "out", leaves));
  const ExecutionProfile profile = runner.Profile();
  if (!flags.trace.empty()) HLOIR_RETURN_IF_ERROR(WriteFile(flags.trace, ChromeTrace(profile)));
  if (!flags.page.empty()) HLOIR_RETURN_IF_ERROR(WriteOutput(flags.page, ProfilePage(profile, module.name())));
  if (flags.json) {
    if (flags.profile) timing["profile"] = Json::parse(ProfileReportJson(profile));
    PrintJson(timing);
  } else if (flags.profile) {
    Write(stdout, ForLocale(ProfileReport(profile)));
  } else if (flags.outputs.empty()) {
    for (size_t d = 0; d < leaves.size(); ++d)
      PrintLeaves(leaves[d], leaves.size() == 1 ? "" : DevicePrefix(static_cast<int64_t>(d)));
  }
  return OkStatus();
}

// Keeps an object to the end of the process, when the system frees its memory at once. To free the plan of a large
// module piece by piece takes a tenth of the time of a single run.
template <class T>
void KeepToTheEnd(T object) {
  static auto& kept = *new std::vector<std::shared_ptr<void>>();
  kept.push_back(std::make_shared<T>(std::move(object)));
}

// Process 0 reports the results, times and files, and errors, which are the same in all processes.
int Run(const RunFlags& flags, Transport* transport) {
  const bool is_silent = transport != nullptr && transport->rank() > 0;
  const auto fail = [&](const Status& status, const std::string& where) {
    return is_silent ? ExitStatusOf(status.code()) : Fail(status, where);
  };
  const std::string file = DisplayName(flags.files[0]);
  const Stopwatch load;
  std::vector<ModuleFile> loaded;
  std::vector<const HloModule*> programs;
  for (const std::string& path : flags.files) {
    auto read = ReadForInputs(path, flags.fake ? "" : flags.inputs);
    if (!read.ok()) return Fail(read.status(), DisplayName(path));
    if (Status filled = TakeElided(read->module(), flags.elided); !filled.ok()) return Fail(filled, DisplayName(path));
    if (Status bound = BindSizesOf(flags, *read); !bound.ok()) return Fail(bound, DisplayName(path));
    loaded.push_back(std::move(*read));
  }
  // An unpartitioned shard_map runs on all its devices, each with the whole arrays around it.
  std::vector<std::unique_ptr<HloModule>> views;
  for (const ModuleFile& each : loaded) {
    programs.push_back(&each.module());
    if (!check::HasShardMapBodies(each.module())) continue;
    auto view = check::MakeWholeView(each.module(), each.module());
    if (!view.ok()) return fail(view.status(), file);
    programs.back() = views.emplace_back(std::move(*view)).get();
  }
  if (flags.runner.unknown_calls != UnknownCalls::kRefuse && !is_silent)
    for (const HloModule* program : programs) NoteUnknownCalls(*program);
  const HloModule& module = *programs[0];
  const double load_ms = load.Milliseconds();

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
  TransferFolder host(flags.host_transfer);
  if (!flags.host_transfer.empty())
    options.host_transfer = [&host](const HostTransfer& transfer) { return host.Exchange(transfer); };
  Json values = Json::array();
  if (flags.trace_values) {
    options.engine = Engine::kReference;
    options.on_result = [&](const HloInstruction& instruction, const Literal& value) {
      if (!flags.json) return PrintText(fmt::format("{} = {}\n", instruction.name(), ValueSummary(value)));
      values.push_back({{"instruction", instruction.name()}, {"value", ValueSummary(value)}});
    };
  }
  const auto counts = CountsOf(flags, module);
  if (!counts.ok()) return Fail(counts.status(), file);
  RaiseMemoryLimit(counts->devices());
  options.devices = *counts;
  options.transport = transport;
  if (transport != nullptr && counts->devices() < transport->size())
    return fail(InvalidArgument(fmt::format("{} processes for {} device{}", transport->size(), counts->devices(),
                                            counts->devices() == 1 ? "" : "s")),
                file);
  const bool several = counts->devices() > 1;
  auto arguments = ArgumentsOf(flags, loaded, *counts);
  if (!arguments.ok()) return Fail(arguments.status(), file);
  std::vector<std::vector<const Literal*>> pointers;
  for (int64_t d = 0; d < counts->devices(); ++d)
    pointers.push_back(Pointers((*arguments)[std::min(static_cast<size_t>(d), arguments->size() - 1)]));
  RunProgress progress;
  if (IsTerminal(stderr))
    options.on_progress = [&progress](int64_t done, int64_t total) { progress.Show(done, total); };

  const Stopwatch prepare;
  PlanCache cache(flags.cache);
  const bool keeps = !flags.cache.empty() && programs.size() == 1;  // several have no limit of memory
  auto runner = keeps ? cache.Prepare(module, options) : Runner::Prepare(programs, options);
  if (!runner.ok()) return fail(runner.status(), file);
  if (!cache.message().empty()) Note(cache.message());
  const double prepare_ms = prepare.Milliseconds();

  std::vector<double> runs_ms;
  std::vector<Literal> results;  // of each device
  for (int i = 0; i < flags.repeat; ++i) {
    fed.Rewind();
    taken.Clear();
    host.Rewind();
    const Stopwatch run;
    Status status;
    if (several || i == 0) {
      auto ran = runner->RunOnAll(pointers);
      if (ran.ok()) results = std::move(*ran);
      else status = ran.status();
    } else {
      status = runner->RunInto(pointers[0], &results[0]);
    }
    runs_ms.push_back(run.Milliseconds());
    progress.Clear();
    if (!status.ok()) return fail(status, file);
  }
  if (is_silent) return kExitGood;

  if (!flags.outfeed.empty()) {
    if (Status written = taken.Write(flags.outfeed); !written.ok()) return Fail(written);
  }
  Json timing = {{"file", file}, {"engine", runner->engine()}};
  if (several) timing["replicas"] = counts->replicas, timing["partitions"] = counts->partitions;
  if (transport != nullptr) timing["processes"] = transport->size();
  timing.update({{"load_ms", load_ms},
                 {"prepare_ms", prepare_ms},
                 {"run_ms", Median(runs_ms)},
                 {"runs_ms", runs_ms},
                 {"arena_bytes", runner->arena_bytes()}});
  if (flags.runner.memory_limit > 0)
    timing["added_instructions"] = runner->added_instructions() + cache.added_instructions();
  if (!flags.cache.empty()) timing["plan_was_read"] = cache.was_read();
  if (flags.trace_values) timing["values"] = std::move(values);
  std::vector<std::vector<Literal>> leaves;
  for (const Literal& result : results) leaves.push_back(ResultLeaves(result));
  if (!views.empty()) leaves.resize(1);  // each device has the whole results
  const Status reported = Report(flags, module, *runner, leaves, std::move(timing));
  KeepToTheEnd(std::move(*runner));
  KeepToTheEnd(std::move(loaded));
  return reported.ok() ? kExitGood : Fail(reported);
}

// Runs as one of several processes under mpirun.
int RunHere(const RunFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  if (!IsStartedByMpi()) return Run(flags, nullptr);
  auto transport = OpenMpi();
  if (!transport.ok()) return Fail(transport.status());
  return Run(flags, transport->get());
}

}  // namespace

void AddRunCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  static const std::map<std::string, Engine> kEngines = {{"fast", Engine::kFast}, {"reference", Engine::kReference}};
  auto flags = std::make_shared<RunFlags>();
  AddOption(*command, "FILE", flags->files,
            "HLO text, HloProto, snapshot or JSON, optionally gzipped. Several files: one program per partition, run "
            "together")
      ->required();
  AddOption(*command, "--inputs X.npz", flags->inputs,
            "Read inputs in0, in1, … from this .npz (default: the snapshot's, else generated from the seed)");
  AddOption(*command, "--outputs Y.npz", flags->outputs, "Write results out0, out1, … to this .npz");
  CLI::Option* seed = AddOption(*command, "--seed N", flags->seed,
                                "Seed of the generated inputs; an odd seed adds corner cases such as NaN")
                          ->check(AnySeed());
  AddOption(*command, "--repeat N", flags->repeat, "Run this many times")->check(Between(1, 100000000));
  AddOption(*command, "--threads N", flags->runner.threads, "Threads of the engine (default: one per core)")
      ->check(Between(0, 1024));
  AddChoice(*command, "--engine ENGINE", flags->runner.engine, kEngines,
            "fast (SIMD engine) or reference (scalar evaluator)");
  AddElidedFlag(*command, flags->elided);
  AddUnknownCallsFlag(*command, flags->runner.unknown_calls);
  AddOption(*command, "--num-replicas N", flags->counts.replicas,
            "Replicas to simulate (default: from the module, if it has collectives); inputs are device3.in0, … or in0 "
            "for all devices")
      ->check(Between(1, 1024));
  AddOption(*command, "--num-partitions N", flags->counts.partitions,
            "Partitions per replica; device = replica * partitions + partition")
      ->check(Between(1, 1024));
  AddOption(*command, "--spill DIR", flags->runner.spill_folder,
            "Keep the devices' values in files of this folder and run one device at a time");
  AddOption(*command, "--infeed X.npz", flags->infeed, "Read infeed data in0, in1, … from this .npz, in order");
  AddOption(*command, "--outfeed Y.npz", flags->outfeed, "Write outfeed data out0, out1, … to this .npz");
  AddOption(*command, "--host-transfer DIR", flags->host_transfer,
            "Folder for host transfers: a send writes send.CHANNEL.DEVICE.N.npy; a recv reads "
            "recv.CHANNEL.DEVICE.N.npy, recv.CHANNEL.DEVICE.npy or recv.CHANNEL.npy")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--force-fake-data", flags->fake, "Generate inputs from the seed, even if the file has inputs");
  AddOption(*command, "--max-steps N", flags->runner.max_steps,
            "Stop a run after this many steps: instructions, and one more for each 1024 operations and bytes")
      ->check(Between(int64_t{1}, EvaluatorOptions{}.max_steps));
  AddOption(*command, "--max-bytes N", flags->runner.max_bytes, "Refuse a run whose values need more bytes")
      ->check(Between(int64_t{1}, int64_t{1} << 60));
  AddOption(*command, "--memory-limit SIZE", flags->runner.memory_limit,
            "Reschedule and rematerialize until values fit this size, as in 500M (default: no limit)")
      ->transform(CLI::Validator(CLI::AsSizeValue(false)).description(""))
      ->check(Between(int64_t{1}, int64_t{1} << 60));
  AddOption(*command, "--cache DIR", flags->cache,
            "Keep the plan, or the module that fits --memory-limit, in this folder, and read it the next time");
  command->add_flag("!--no-fusion", flags->runner.fuse, "Disable the engine's own fusion; fusions in the module stay");
  command->add_flag("!--no-layouts", flags->runner.choose_layouts,
                    "Disable the engine's layout selection: every array is row-major");
  CLI::Option* profile =
      command->add_flag("--profile", flags->profile, "Print the time of each step of the plan instead of the results");
  AddOption(*command, "-o,--output OUT.html", flags->page, "Write the profile as an HTML page with a flame graph")
      ->needs(profile);
  AddOption(*command, "--profile-trace T.json", flags->trace, "Write start and end of each step as a Chrome trace");
  command->add_flag("--trace-values", flags->trace_values,
                    "Print one line about each instruction's result (runs on the reference engine)");
  command->add_flag(
      "--json", flags->json,
      "Print the report as JSON: load_ms, prepare_ms, run_ms (median), runs_ms, arena_bytes, profile, values");
  command->callback([flags, seed, &action] {
    flags->has_seed = seed->count() > 0;
    action = [flags] { return RunHere(*flags); };
  });
}

}  // namespace hloir::tool
