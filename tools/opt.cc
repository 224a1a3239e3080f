// hloir opt: runs passes on a module and prints the result; or, with --dry-run and --bisect, what the passes would do
// and what they did wrong.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/pass.h"
#include "hloir/printer.h"
#include "hloir/stack_frames.h"
#include "tools/arguments.h"
#include "tools/blame.h"
#include "tools/command.h"
#include "tools/dump.h"
#include "tools/files.h"
#include "tools/memory.h"
#include "tools/modules.h"
#include "tools/optimize_flags.h"
#include "tools/report.h"
#include "tools/rewrites.h"
#include "tools/table.h"
#include "tools/traffic.h"

namespace hloir::tool {
namespace {

struct OptFlags {
  std::string file, output = "-", dump_to, dump_pass_re = ".*", trace;
  OptimizeFlags optimize;
  std::vector<std::string> take;
  int64_t max_rewrites = INT64_MAX;
  bool list_passes = false, verify_each = false, check_each = false, stats = false, memory = false;
  bool dry_run = false, bisect = false, json = false, merged_metadata = false;
  uint64_t seed = 0;
};

int ListPasses() {
  size_t width = 0;
  for (const PassInfo& pass : AllPasses()) width = std::max(width, pass.name.size());
  const auto print_options = [&](std::string_view pass) {
    for (const PassOptionInfo& option : AllPassOptions()) {
      if (option.pass == pass) fmt::print("{:{}}  {{{}=}} {}\n", "", width, option.name, option.description);
    }
  };
  for (const PassInfo& pass : AllPasses()) {
    fmt::print("{:{}}  {}\n", pass.name, width, pass.description);
    print_options(pass.name);
  }
  fmt::print("{:{}}  what every pass takes:\n", "", width);
  print_options("");
  return kExitGood;
}

// On stderr, what each pass did, and how often each rule fired: two tables, or JSON.
void PrintStats(const std::vector<PassRun>& runs, const RewriteLog& log, bool json) {
  struct Sum {
    int64_t runs = 0, changed = 0, removed = 0;
    double milliseconds = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Sum> sums;
  for (const PassRun& run : runs) {
    auto [it, inserted] = sums.try_emplace(run.pass);
    if (inserted) order.push_back(run.pass);
    ++it->second.runs;
    it->second.changed += run.changed;
    it->second.removed += run.instructions_before - run.instructions_after;
    it->second.milliseconds += run.milliseconds;
  }
  if (json) {
    nlohmann::ordered_json passes = nlohmann::ordered_json::array();
    for (const std::string& pass : order) {
      const Sum& sum = sums[pass];
      passes.push_back({{"pass", pass},
                        {"runs", sum.runs},
                        {"changed", sum.changed},
                        {"removed", sum.removed},
                        {"ms", sum.milliseconds}});
    }
    fmt::print(stderr, "{}\n", nlohmann::ordered_json{{"passes", std::move(passes)}, {"rules", log.counts()}}.dump(2));
    return;
  }
  Table table({"pass", "runs", "changed", "instructions removed", "time"});
  for (const std::string& pass : order) {
    const Sum& sum = sums[pass];
    table.Add({pass, fmt::format("{}", sum.runs), fmt::format("{}", sum.changed), fmt::format("{}", sum.removed),
               HumanTime(sum.milliseconds)});
  }
  fmt::print(stderr, "{}", table.ToString(UseColor(stderr)));
  if (log.counts().empty()) return;
  Table rules({"rule", "times"});
  for (const auto& [rule, times] : log.counts()) rules.Add({rule, fmt::format("{}", times)});
  fmt::print(stderr, "\n{}", rules.ToString(UseColor(stderr)));
}

AgreeOptions AgreeOptionsOf(const OptFlags& flags) {
  AgreeOptions options;
  options.exact_rewrites = flags.optimize.math == MathMode::kExact;
  options.runner.max_steps = int64_t{1} << 28;  // a made-up input may keep a loop from ending
  return options;
}

// Of two kinds: plain numbers, and corner cases among them.
StatusOr<InputSets> MakeInputs(const HloModule& module, uint64_t seed) {
  InputSets sets;
  for (uint64_t kind : {0, 1}) {
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> inputs, MakeArguments(module, "", seed ^ kind));
    sets.push_back(std::move(inputs));
  }
  return sets;
}

// The result, or a report in its place.
int Write(const OptFlags& flags, const std::string& text) {
  if (Status written = WriteFile(flags.output, text); !written.ok()) return Fail(written);
  return kExitGood;
}

int FindGuilty(const OptFlags& flags, const HloModule& module, const std::string& file) {
  const auto inputs = MakeInputs(module, flags.seed);
  if (!inputs.ok()) return Fail(inputs.status(), file);
  const auto optimize = [&](HloModule& clone, Rewriter& rewriter) {
    return Optimize(clone, flags.optimize, {}, &rewriter).status();
  };
  const auto found = Bisect(module, optimize, *inputs, AgreeOptionsOf(flags));
  if (!found.ok()) return Fail(found.status(), file);
  std::string text;
  if (flags.json) {
    nlohmann::ordered_json json = {{"rewrites", found->rewrites}};
    if (found->guilty >= 0)
      json["number"] = found->guilty + 1, json["reason"] = found->reason, json["rewrite"] = ToJson(found->record);
    text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  } else if (found->guilty < 0) {
    text = fmt::format("none of {} rewrites changes what the module computes\n", found->rewrites);
  } else {
    text = fmt::format("rewrite {} of {} changes what the module computes: {}\n{}", found->guilty + 1, found->rewrites,
                       found->reason, Describe(found->record));
  }
  const int status = Write(flags, text);
  return status == kExitGood && found->guilty >= 0 ? kExitDisagree : status;
}

std::string Proposals(const RewriteLog& log, bool json) {
  if (!json) {
    std::string text;
    for (const RewriteLog::Entry& entry : log.entries()) text += Describe(entry);
    return text + fmt::format("{} opportunities\n", log.entries().size());
  }
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const RewriteLog::Entry& entry : log.entries()) all.push_back(ToJson(entry));
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int Opt(const OptFlags& flags) {
  if (flags.list_passes) return ListPasses();
  const std::string file = DisplayName(flags.file);
  auto loaded = LoadModule(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  HloModule& module = **loaded;
  if (flags.bisect) return FindGuilty(flags, module, file);

  std::unique_ptr<Dumper> dumper;
  if (!flags.dump_to.empty()) {
    auto created = Dumper::Create(flags.dump_to, flags.dump_pass_re, module);
    if (!created.ok()) return Fail(created.status());
    dumper = std::move(*created);
    if (Status written = dumper->BeforeAll(module); !written.ok()) return Fail(written);
  }
  InputSets inputs;
  std::unique_ptr<CheckEach> check;
  if (flags.check_each) {
    auto made = MakeInputs(module, flags.seed);
    if (!made.ok()) return Fail(made.status(), file);
    inputs = std::move(*made);
    check = std::make_unique<CheckEach>(module, inputs, AgreeOptionsOf(flags));
  }

  PipelineOptions pipeline;
  pipeline.verify_each = flags.verify_each;
  if (dumper || check) {
    pipeline.after = [&](std::string_view pass, const HloModule& now) -> Status {
      if (dumper) HLOIR_RETURN_IF_ERROR(dumper->AfterPass(pass, now));
      return check ? check->AfterPass(pass, now) : OkStatus();
    };
  }
  RewriteLog log;
  log.propose_only = flags.dry_run;
  log.max_rewrites = flags.max_rewrites;
  log.take_only = !flags.take.empty();
  log.take.insert(flags.take.begin(), flags.take.end());
  log.keep_text = flags.dry_run || !flags.trace.empty();
  log.keep_declined = !flags.trace.empty();
  const bool watched = log.keep_text || log.take_only || flags.stats || flags.max_rewrites < INT64_MAX ||
                       !flags.optimize.disabled_rules.empty();
  auto runs = Optimize(module, flags.optimize, std::move(pipeline), watched ? &log : nullptr);
  if (!runs.ok()) {
    const int status = Fail(runs.status(), file);
    return check && check->disagreed() ? kExitDisagree : status;
  }
  for (const std::string& rule : flags.optimize.disabled_rules) {
    if (!log.disabled().contains(rule))
      fmt::print(stderr, "hloir: note: --disable-rule={}: no pass came to this rule\n", rule);
  }
  if (!log.take.empty()) {
    return Fail(
        InvalidArgument(fmt::format("--take={}: there is no such opportunity; see --dry-run", *log.take.begin())),
        file);
  }
  if (dumper) {
    if (Status written = dumper->AfterAll(module); !written.ok()) return Fail(written);
  }
  if (!flags.trace.empty()) {
    if (Status written = WriteFile(flags.trace, ToJsonLines(log)); !written.ok()) return Fail(written);
  }
  if (flags.stats) PrintStats(*runs, log, flags.json);
  if (flags.memory && flags.json) fmt::print(stderr, "{}\n", MemoryToJson(module).dump(2));
  if (flags.memory && !flags.json) fmt::print(stderr, "{}", MemoryReport(module, UseColor(stderr)));
  if (flags.dry_run) return Write(flags, Proposals(log, flags.json));
  PrintOptions print = PrintOptions::Readable();
  print.print_merged_metadata = flags.merged_metadata;
  CompactStackFrames(module, flags.merged_metadata);
  return Write(flags, PrintModule(module, print));
}

}  // namespace

void AddOptCommand(CLI::App& app, Action& action) {
  auto flags = std::make_shared<OptFlags>();
  CLI::App* command = app.add_subcommand("opt", "Optimize a module");
  CLI::Option* file =
      command->add_option("FILE", flags->file, "HLO text, HloProto or a snapshot, JSON; also gzipped")->type_name("");
  command->add_option("-o,--output", flags->output, "Write the result there (default: stdout)")->type_name("OUT");
  AddOptimizeFlags(*command, flags->optimize);
  command->add_flag("--list-passes", flags->list_passes,
                    "List the passes and their options, with a line on each, and exit");
  command
      ->add_option("--dump-to", flags->dump_to,
                   "Write the module there before, after, and after each pass that changed it")
      ->type_name("DIR");
  command
      ->add_option("--dump-pass-re", flags->dump_pass_re, "Dump after passes whose name this regular expression finds")
      ->type_name("RE");
  command->add_flag("--verify-each", flags->verify_each, "Verify the module after each pass");
  command->add_flag("--check-each", flags->check_each,
                    "Run the module after each pass; name the first that changes what it computes");
  command->add_option("--seed", flags->seed, "Of the inputs for --check-each and --bisect")->type_name("N");
  command->add_flag("--stats", flags->stats,
                    "Say on stderr what each pass did, how long it took, and which rule fired how often");
  command->add_flag("--memory", flags->memory,
                    "Say on stderr how much memory the result would take, and for what at the peak; in its order, so "
                    "hlo-memory-scheduler may lower it");
  command
      ->add_option("--trace", flags->trace,
                   "Write every rewrite there, a JSON object a line: id, rule, before, after, reason; also what a pass "
                   "decided against")
      ->type_name("OUT.jsonl");
  CLI::Option* dry_run = command->add_flag(
      "--dry-run", flags->dry_run, "Print no module: list every opportunity that the passes find in it, and take none");
  CLI::Option* take = command->add_option("--take", flags->take, "Of the opportunities, take only these")
                          ->delimiter(',')
                          ->take_all()
                          ->allow_extra_args(false)
                          ->type_name("ID,...")
                          ->excludes(dry_run);
  CLI::Option* fuel = command->add_option("--max-rewrites", flags->max_rewrites, "Stop after N rewrites")
                          ->check(CLI::Range(int64_t{0}, INT64_MAX).description(""))
                          ->type_name("N")
                          ->excludes(dry_run);
  command
      ->add_flag("--bisect", flags->bisect,
                 "Print no module: find the single rewrite that changes what the module computes")
      ->excludes(dry_run)
      ->excludes(take)
      ->excludes(fuel);
  command->add_flag("--json", flags->json, "Report --dry-run, --bisect, --stats and --memory as JSON");
  command->add_flag("--merged-metadata", flags->merged_metadata,
                    "Print in comments the metadata of what was merged, folded or fused into an instruction");
  command->callback([flags, file, &action] {
    if (!flags->list_passes && file->count() == 0) throw CLI::RequiredError("FILE");
    action = [flags] { return Opt(*flags); };
  });
}

}  // namespace hloir::tool
