// hloir tune: finds the best pipeline for a module or, with --rewrites, the best set of rewrites. Flags, tables and the
// progress bar; the searches are in tune/tune.h and search.h.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "inspect/tune_report.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/report.h"
#include "tune/search.h"
#include "tune/tune.h"
#include "support/number.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct TuneFlags {
  const PassRegistry* registry = nullptr;
  std::string file, output, start, budget = "60s";
  TuneOptions tune;
  std::string policy, samples;
  bool json = false, no_verify = false, rewrites = false;
  SearchMethod method = SearchMethod::kTree;
};

// "90", "90s", "2m", "500ms" in seconds.
StatusOr<double> SecondsOf(const std::string& text) {
  double value = 0;
  const auto [end, error] = ReadNumber(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  const double times = unit.empty() || unit == "s" ? 1
                       : unit == "ms"              ? 1e-3
                       : unit == "m"               ? 60
                       : unit == "h"               ? 3600
                                                   : 0;
  if (error != std::errc() || times == 0 || !(value > 0) || value * times > 1e7)
    return InvalidArgument(fmt::format("--budget is a time like 60s, 2m or 500ms, not '{}'", text));
  return value * times;
}

Json CostJson(const TuneCost& cost) {
  return {{"bytes", cost.bytes},
          {"operations", cost.operations},
          {"roofline", cost.roofline},
          {"instructions", cost.instructions}};
}

// The bar and its text, at most ten times a second.
std::function<bool(const TuneProgress&)> Showing(Progress& bar, Stopwatch& watch, double& shown, TuneBy by) {
  return [&bar, &watch, &shown, by](const TuneProgress& at) {
    if (watch.Milliseconds() - shown > 100) {
      bar.Show(static_cast<size_t>(1000 * at.done),
               fmt::format("{}, {} tried, {} {:+.1f} %", at.phase, at.tried, TuneByName(by), 100 * (at.best - 1)));
      shown = watch.Milliseconds();
    }
    return true;
  };
}

int WriteModule(const TuneFlags& flags, const HloModule& module, FileFormat format) {
  if (flags.output.empty()) return kExitGood;
  return WriteModuleOutput(flags.output, module, format, {}, DisplayName(flags.file));
}

int SearchAmongRewrites(const TuneFlags& flags, const HloModule& module, FileFormat format) {
  const std::string file = DisplayName(flags.file);
  if (flags.tune.by == TuneBy::kTime) return Fail(InvalidArgument("--rewrites cannot be combined with --by=time"));
  SearchOptions options;
  options.method = flags.method;
  options.by = flags.tune.by, options.seconds = flags.tune.seconds, options.trials = flags.tune.trials;
  options.seed = flags.tune.seed, options.verify = flags.tune.verify;
  options.operations_per_byte = flags.tune.operations_per_byte, options.most_operations = flags.tune.most_operations;
  std::optional<RewritePolicy> policy;
  if (!flags.policy.empty()) {
    const auto text = ReadFile(flags.policy);
    if (!text.ok()) return Fail(text.status(), flags.policy);
    auto parsed = RewritePolicy::Parse(*text);
    if (!parsed.ok()) return Fail(parsed.status(), flags.policy);
    policy = *std::move(parsed);
    options.policy = &*policy;
  }
  std::string samples;
  if (!flags.samples.empty()) {
    options.sample = [&samples](const SearchSample& sample) {
      samples += fmt::format("{} {} {:.6g}", sample.state, sample.visits, sample.gain);
      for (float feature : sample.features) samples += fmt::format(" {:.5g}", feature);
      samples += '\n';
    };
  }
  Progress bar(1000);
  Stopwatch watch;
  double shown = -1e9;
  options.progress = Showing(bar, watch, shown, options.by);
  const auto result = SearchRewrites(module, *flags.registry, options);
  bar.Clear();
  if (!result.ok()) return Fail(result.status(), file);
  if (!flags.samples.empty()) {
    if (Status written = WriteOutput(flags.samples, samples); !written.ok()) return Fail(written);
  }
  if (flags.json) {
    Json json = {{"file", file},
                 {"by", TuneByName(options.by)},
                 {"method", SearchMethodName(options.method)},
                 {"seed", options.seed},
                 {"begin", result->begin},
                 {"rewrites", result->taken},
                 {"finish", result->finish},
                 {"unoptimized", CostJson(result->unoptimized)},
                 {"first", CostJson(result->first)},
                 {"best", CostJson(result->best)},
                 {"tried", result->tried},
                 {"refused", result->refused}};
    if (result->verdict) json["verdict"] = Json::parse(VerdictJson(*result->verdict));
    PrintJson(json);
  } else {
    std::string text = TuneCostReport(module, result->unoptimized, result->first, result->best);
    for (const std::string& id : result->taken) text += Printable(id) + "\n";
    text += fmt::format("{} rewrites taken between --passes='{}' and --passes='{}'\n", result->taken.size(),
                        result->begin, result->finish);
    text += fmt::format("{} modules tried, {} better ones refused\n", result->tried, result->refused);
    text += result->verdict ? fmt::format("verified: {}\n", result->verdict->ToString()) : "not verified\n";
    Write(stdout, ForLocale(text));
  }
  const int status = WriteModule(flags, *result->module, format);
  return status == kExitGood && result->verdict && !result->verdict->agrees() ? kExitDisagree : status;
}

int Run(TuneFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const StatusOr<double> seconds = SecondsOf(flags.budget);
  if (!seconds.ok()) return Fail(seconds.status());
  flags.tune.seconds = *seconds;
  auto names = SplitPipeline(flags.start);
  if (!names.ok()) return Fail(names.status());
  flags.tune.start = *std::move(names);
  flags.tune.verify = !flags.no_verify;
  const StatusOr<FileFormat> format = flags.output.empty() ? FileFormat() : FormatOf(flags.output);
  if (!format.ok()) return Fail(format.status(), flags.output);
  const std::string file = DisplayName(flags.file);
  auto loaded = ReadModule(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  const HloModule& module = **loaded;

  if (flags.rewrites) return SearchAmongRewrites(flags, module, *format);
  Progress bar(1000);
  Stopwatch watch;
  double shown = -1e9;
  flags.tune.progress = Showing(bar, watch, shown, flags.tune.by);
  auto result = Tune(module, *flags.registry, flags.tune);
  bar.Clear();
  if (!result.ok()) return Fail(result.status(), file);
  if (flags.json) {
    Json json = {{"file", file}};
    json.update(Json::parse(TuneReportJson(*result)));
    PrintJson(json);
  } else {
    Write(stdout, ForLocale(TuneReport(*result)));
  }
  const int status = WriteModule(flags, *result->module, *format);
  if (status != kExitGood) return status;
  return !result->verdict || result->verdict->agrees() ? kExitGood : kExitDisagree;
}

}  // namespace

void AddTuneCommand(CLI::App* command, Action& action, PassRegistry& registry) {
  auto flags = std::make_shared<TuneFlags>();
  flags->registry = &registry;
  AddOption(*command, "FILE", flags->file, "HLO text, HloProto, snapshot or JSON, optionally gzipped")->required();
  AddOption(*command, "-o,--output OUT", flags->output, "Write the module after the best pipeline");
  AddOption(*command, "--budget TIME", flags->budget, "Search time: 500ms, 60s, 2m (default: 60s)");
  AddChoice<TuneBy>(
      *command, "--by WHAT", flags->tune.by,
      {{"bytes", TuneBy::kBytes},
       {"operations", TuneBy::kOperations},
       {"roofline", TuneBy::kRoofline},
       {"time", TuneBy::kTime}},
      "Objective: bytes moved (the default), operations, the roofline of both, or measured time on this machine");
  AddOption(*command, "--passes A,[B,C],...", flags->start,
            "Start from this pipeline and compare with it (default: the default pipeline)");
  AddOption(*command, "--trials N", flags->tune.trials,
            "Number of pipelines to try instead of a time budget; the result is then reproducible on any machine "
            "unless --by=time")
      ->check(Between(int64_t{1}, INT64_MAX));
  AddOption(*command, "--seed N", flags->tune.seed, "Seed of the search and of the generated inputs")->check(AnySeed());
  AddChoice<MathMode>(
      *command, "--math MODE", flags->tune.math,
      {{"exact", MathMode::kExact}, {"rounding", MathMode::kRounding}, {"fast", MathMode::kFast}},
      "Allowed changes of results: exact (none, the default), rounding (as XLA's default), fast (fast-math)");
  AddOption(*command, "--operations-per-byte N", flags->tune.operations_per_byte,
            "Roofline balance: operations per byte moved (default: 8)")
      ->check(CLI::PositiveNumber);
  AddOption(*command, "--most-operations TIMES", flags->tune.most_operations,
            "Reject pipelines that increase operations by more than this factor (default: 1.25)")
      ->check(CLI::PositiveNumber);
  AddOption(*command, "--threads N", flags->tune.runner.threads, "Threads of measured runs (default: one per core)")
      ->check(Between(0, 1 << 16));
  AddChoice<SearchMethod>(
      *command, "--rewrites HOW", flags->method,
      {{"beam", SearchMethod::kBeam}, {"tree", SearchMethod::kTree}, {"policy", SearchMethod::kPolicy}},
      "Search over single rewrites instead of pipelines: beam search, Monte Carlo tree search, or a learned policy")
      ->each([flags](const std::string&) { flags->rewrites = true; });
  AddOption(*command, "--policy FILE", flags->policy, "Learned policy that orders the rewrites for --rewrites");
  AddOption(*command, "--samples OUT", flags->samples,
            "Write features and gain of each rewrite tried, as training data for a policy");
  command->add_flag("--no-verify", flags->no_verify, "Do not verify the result against the module");
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, &action] { action = [flags] { return Run(*flags); }; });
}

}  // namespace hloir::tool
