// hloir opt: runs passes on a module and prints the result; with --dry-run lists the possible rewrites, with --bisect
// finds the wrong one.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "hloir/check.h"
#include "inspect/folder.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/report.h"
#include "rewrite/proposals.h"
#include "ir/stack_frames.h"
#include "tools/command.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/help.h"
#include "tools/optimize_flags.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

struct OptFlags {
  std::string file, output = "-", dump_to, dump_pass_re = ".*", trace;
  OptimizeFlags optimize;
  std::vector<std::string> take;
  int64_t max_rewrites = INT64_MAX;
  int threads = 0;
  ElidedValues elided;
  bool list_passes = false, list_rules = false, verify_each = false, check_each = false, stats = false, memory = false;
  bool dry_run = false, bisect = false, json = false, merged_metadata = false;
  uint64_t seed = 0;
};

CheckOptions CheckOptionsOf(const OptFlags& flags) {
  CheckOptions options;
  options.exact = flags.optimize.math == MathMode::kExact;
  options.seed = flags.seed;
  return options;
}

Json Parsed(const std::string& json) { return Json::parse(json); }

int List(const OptFlags& flags) {
  const PassRegistry& registry = *flags.optimize.registry;
  if (flags.json) PrintJson(Parsed(flags.list_passes ? PassListJson(registry) : RuleListJson(registry)));
  else
    Write(stdout,
          ForLocale(flags.list_passes ? PassListReport(registry, HelpWidth()) : RuleListReport(registry, HelpWidth())));
  return kExitGood;
}

// A report in the module's place.
int WriteReport(const OptFlags& flags, const std::string& text) {
  const Status written = WriteOutput(flags.output, text);
  return written.ok() ? kExitGood : Fail(written);
}

int FindGuilty(const OptFlags& flags, const HloModule& module, const std::string& file) {
  const auto optimize = [&](HloModule& clone, Rewriter& rewriter) {
    return Optimize(clone, flags.optimize, {}, &rewriter).status();
  };
  const auto found = Bisect(module, optimize, {}, CheckOptionsOf(flags));
  if (!found.ok()) return Fail(found.status(), file);
  const int status =
      WriteReport(flags, flags.json ? JsonText(Parsed(BisectionReportJson(*found))) : BisectionReport(*found));
  return status == kExitGood && found->guilty >= 0 ? kExitDisagree : status;
}

std::string Trace(const std::vector<RewriteLog::Entry>& entries, bool readable) {
  std::string text;
  for (const RewriteLog::Entry& entry : entries)
    text += readable ? RewriteReport(entry) : RewriteReportJson(entry) + "\n";
  return text;
}

int ListProposals(const OptFlags& flags, const HloModule& module, const std::string& file) {
  const auto names = PassNames(flags.optimize);
  if (!names.ok()) return Fail(names.status(), file);
  const auto found = FindProposals(module, *flags.optimize.registry, *names, PassOptionsOf(flags.optimize));
  if (!found.ok()) return Fail(found.status(), file);
  if (found->untried > 0) {
    Note(fmt::format("{} of {} rewrites are listed without their result, because the module is large", found->untried,
                     found->entries.size()));
  }
  if (!flags.json) {
    return WriteReport(flags,
                       Trace(found->entries, /*readable=*/true) + fmt::format("{} rewrites\n", found->entries.size()));
  }
  Json all = Json::array();
  for (const RewriteLog::Entry& entry : found->entries) all.push_back(Parsed(RewriteReportJson(entry)));
  return WriteReport(flags, JsonText(all));
}

// Optimizes one module of a folder, to a file of the same name.
// True if the pipeline finds the rewrite `id` in `original` when the rewrites in `taken` are made.
bool Finds(const OptFlags& flags, const HloModule& original, std::string_view id, std::vector<std::string> taken) {
  const std::unique_ptr<HloModule> module = original.Clone();
  RewriteLog log;
  log.take_only = true;
  log.keep_text = false;
  log.take.insert(std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  log.take.emplace(id);
  return Optimize(*module, flags.optimize, {}, &log).ok() && !log.take.contains(id);
}

// The rewrite that excluded `id`: from the log, or found by trying. InvalidArgument: `id` is not a rewrite of the
// module.
StatusOr<std::string> ExcludedBy(const OptFlags& flags, const HloModule& original, const RewriteLog& log,
                                 const std::string& id) {
  if (const std::string_view by = log.ExcludedBy(id); !by.empty()) return std::string(by);
  if (!Finds(flags, original, id, {}))
    return InvalidArgument(fmt::format("--take={}: no such rewrite; see --dry-run", id));
  std::vector<std::string> taken;
  for (const std::string& other : flags.take)
    if (!log.take.contains(other)) taken.push_back(other);
  constexpr size_t kMostTries = 32;
  for (size_t k = 0; k < std::min(taken.size(), kMostTries); ++k)
    if (!Finds(flags, original, id, {taken[k]})) return taken[k];
  return std::string("several of those taken");
}

Status OptimizeFile(const OptFlags& flags, const std::string& from, const std::string& to) {
  HLOIR_RETURN_IF_ERROR(FormatOf(to).status());
  HLOIR_ASSIGN_OR_RETURN(const auto module, ReadModule(from));
  PipelineOptions pipeline;
  pipeline.verify_each = flags.verify_each;
  HLOIR_RETURN_IF_ERROR(Optimize(*module, flags.optimize, std::move(pipeline), nullptr).status());
  WriteOptions write;
  write.print.print_merged_metadata = flags.merged_metadata;
  CompactStackFrames(*module, flags.merged_metadata);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(to).parent_path(), error);
  if (error) return InvalidArgument(error.message());
  return WriteModule(*module, to, write);
}

int OptFolder(const OptFlags& flags) {
  const bool reports = flags.dry_run || flags.bisect || flags.stats || flags.memory || flags.json || flags.check_each ||
                       !flags.trace.empty() || !flags.dump_to.empty() || !flags.take.empty() ||
                       flags.max_rewrites < INT64_MAX || !flags.optimize.disabled_rules.empty();
  if (reports) return Fail(InvalidArgument("is a directory; reports are for single modules"), flags.file);
  if (flags.output == "-") return Fail(InvalidArgument("is a directory; expected -o DIR"), flags.file);
  const auto files = ListModuleFiles(flags.file);
  if (!files.ok()) return Fail(files.status());
  if (files->empty()) return Fail(InvalidArgument("no modules in this directory"), flags.file);
  int worst = kExitGood;
  std::vector<Status> done(files->size());
  Progress progress(files->size());
  ForEachInOrder(
      files->size(), flags.threads,
      [&](size_t k) {
        const auto inside = std::filesystem::path((*files)[k]).lexically_relative(flags.file);
        done[k] = OptimizeFile(flags, (*files)[k], (std::filesystem::path(flags.output) / inside).string());
      },
      [&](size_t k) {
        if (!done[k].ok()) {
          progress.Clear();
          worst = std::max(worst, Fail(done[k], DisplayName((*files)[k])));
        }
        progress.Show(k + 1, (*files)[k]);
      });
  return worst;
}

int Opt(const OptFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  if (flags.list_passes || flags.list_rules) return List(flags);
  std::error_code error;
  if (std::filesystem::is_directory(flags.file, error)) return OptFolder(flags);
  const StatusOr<FileFormat> format = flags.dry_run || flags.bisect ? FileFormat() : FormatOf(flags.output);
  if (!format.ok()) return Fail(format.status(), flags.output);
  const std::string file = DisplayName(flags.file);
  auto loaded = ReadModule(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  HloModule& module = **loaded;
  if (flags.elided.how != ElidedValues::How::kRefuse) {
    // Passes would fold the generated values into the written module.
    if (!flags.bisect && !(flags.check_each && flags.output == "/dev/null"))
      return Fail(InvalidArgument("--elided is for --bisect, and for --check-each with -o /dev/null"));
    if (Status filled = TakeElided(module, flags.elided); !filled.ok()) return Fail(filled, file);
  }
  if (flags.bisect) return FindGuilty(flags, module, file);
  if (flags.dry_run) return ListProposals(flags, module, file);

  const RE2 dumped(flags.dump_pass_re, RE2::Quiet);
  if (!dumped.ok())
    return Fail(InvalidArgument(fmt::format("--dump-pass-re={}: {}", flags.dump_pass_re, dumped.error())));
  std::optional<ModuleDumper> dumper;
  if (!flags.dump_to.empty()) {
    auto created = ModuleDumper::Create(flags.dump_to, module);
    if (!created.ok()) return Fail(created.status());
    dumper = std::move(*created);
    if (Status written = dumper->BeforeAll(module); !written.ok()) return Fail(written);
  }
  std::unique_ptr<CheckEach> check;
  if (flags.check_each) check = std::make_unique<CheckEach>(module, std::vector<InputSet>(), CheckOptionsOf(flags));

  PipelineOptions pipeline;
  pipeline.verify_each = flags.verify_each;
  if (dumper || check) {
    pipeline.after = [&](const PassEvent& event, const HloModule& now) -> Status {
      if (dumper && event.changed && RE2::PartialMatch({event.pass.data(), event.pass.size()}, dumped))
        HLOIR_RETURN_IF_ERROR(dumper->AfterPass(event.pass, event.number + 1, now));
      return check ? check->AfterPass(event, now) : OkStatus();
    };
  }
  if (module.config().is_scheduled && flags.optimize.passes.empty() && flags.optimize.pipeline_file.empty()) {
    Note(
        fmt::format("{} is scheduled (is_scheduled=true), so passes that would change the order do nothing; run hloir "
                    "opt --passes=hlo-descheduler first",
                    file));
  }
  const std::unique_ptr<HloModule> original = flags.take.empty() ? nullptr : module.Clone();
  RewriteLog log;
  log.max_rewrites = flags.max_rewrites;
  log.take_only = !flags.take.empty();
  log.take.insert(flags.take.begin(), flags.take.end());
  log.keep_text = !flags.trace.empty();
  log.keep_declined = !flags.trace.empty();
  const bool watched = log.keep_text || log.take_only || flags.stats || flags.max_rewrites < INT64_MAX ||
                       !flags.optimize.disabled_rules.empty();
  auto runs = Optimize(module, flags.optimize, std::move(pipeline), watched ? &log : nullptr);
  if (!runs.ok()) {
    const int status = Fail(runs.status(), file);
    return check && check->disagreed() ? kExitDisagree : status;
  }
  for (const std::string& rule : flags.optimize.disabled_rules) {
    if (!log.disabled().contains(rule)) Note(fmt::format("--disable-rule={}: no pass that ran has this rule", rule));
  }
  for (const std::string& id : log.take) {
    const StatusOr<std::string> by = ExcludedBy(flags, *original, log, id);
    if (!by.ok()) return Fail(by.status(), file);
    Note(fmt::format("--take={}: not applied: it conflicts with {}", id, *by));
  }
  if (dumper) {
    if (Status written = dumper->AfterAll(module); !written.ok()) return Fail(written);
  }
  if (!flags.trace.empty()) {
    const bool readable = flags.trace.ends_with(".txt") || (flags.trace == "-" && !flags.json);
    const Status written = WriteOutput(flags.trace, Trace(log.entries(), readable));
    if (!written.ok()) return Fail(written);
  }
  if (flags.json && (flags.stats || flags.memory)) {
    Json report;
    if (flags.stats) report = Parsed(PassReportJson(*runs, log));
    if (flags.memory) report["memory"] = Parsed(MemoryReportJson(module));
    Write(stderr, JsonText(report));
  } else {
    if (flags.stats) Write(stderr, ForLocale(PassReport(*runs, log)));
    if (flags.memory) Write(stderr, ForLocale(MemoryReport(module)));
  }
  WriteOptions write;
  write.print.print_merged_metadata = flags.merged_metadata;
  CompactStackFrames(module, flags.merged_metadata);
  return WriteModuleOutput(flags.output, module, *format, write, file);
}

}  // namespace

void AddOptCommand(CLI::App* command, Action& action, PassRegistry& registry) {
  auto flags = std::make_shared<OptFlags>();
  CLI::Option* file = AddOption(*command, "FILE", flags->file,
                                "HLO text, HloProto, snapshot or JSON, optionally gzipped; or a folder of modules");
  AddOption(
      *command, "-o,--output OUT", flags->output,
      "Output file for the module, or for the report of --dry-run or --bisect; the extension selects the format: "
      ".hlo .txt .pb .json .mlir, optionally .gz (default: text to stdout). If FILE is a folder, the output folder");
  AddOptimizeFlags(*command, flags->optimize, registry);
  command->add_flag("--list-passes", flags->list_passes, "List the passes and their options, and exit");
  command->add_flag("--list-rules", flags->list_rules, "List the rules of each pass, with their formulas, and exit");
  AddOption(*command, "--dump-to DIR", flags->dump_to,
            "Write the module to this folder before and after the pipeline and after each pass that changed it");
  AddOption(*command, "--dump-pass-re RE", flags->dump_pass_re,
            "Dump only after passes whose name matches this regular expression");
  AddOption(*command, "--threads N", flags->threads,
            "Threads that optimize the modules of a folder (default: one per core)")
      ->check(Between(1, 1024));
  command->add_flag("--verify-each", flags->verify_each, "Verify the module after each pass");
  command->add_flag("--check-each", flags->check_each,
                    "Run the module after each pass and report the first pass that changes its results");
  AddOption(*command, "--seed N", flags->seed, "Seed of the generated inputs for --check-each and --bisect")
      ->check(AnySeed());
  command->add_flag("--stats", flags->stats,
                    "Report changes and time of each pass, and how often each rule fired, to stderr");
  command->add_flag("--memory", flags->memory,
                    "Report to stderr the optimized module's peak memory and the values live at the peak, for its "
                    "instruction order (hlo-memory-scheduler may lower the peak)");
  AddOption(*command, "--trace OUT", flags->trace,
            "Record every rewrite, and every refused one with its reason: OUT.txt is text, other names get one JSON "
            "object per line");
  CLI::Option* dry_run =
      command
          ->add_flag("--dry-run", flags->dry_run,
                     "List the rewrites that the passes would do, with their ids and results, and apply none")
          ->excludes("--verify-each", "--check-each", "--stats", "--memory", "--trace", "--dump-to");
  CLI::Option* take =
      AddOption(*command, "--take ID,...", flags->take, "Apply only the rewrites with these ids (see --dry-run)")
          ->delimiter(',')
          ->take_all()
          ->allow_extra_args(false)
          ->excludes(dry_run);
  CLI::Option* fuel = AddOption(*command, "--max-rewrites N", flags->max_rewrites, "Stop after N rewrites")
                          ->check(Between(int64_t{0}, INT64_MAX))
                          ->excludes(dry_run);
  command
      ->add_flag("--bisect", flags->bisect,
                 "Find the single rewrite that changes the module's results, and print it instead of the module")
      ->excludes(dry_run)
      ->excludes(take)
      ->excludes(fuel);
  AddElidedFlag(*command, flags->elided);
  command->add_flag("--json", flags->json,
                    "Print lists and the reports of --dry-run, --bisect, --stats and --memory as JSON");
  command->add_flag("--merged-metadata", flags->merged_metadata,
                    "Print the metadata of instructions that were merged, folded or fused into others, as comments");
  command->callback([flags, file, &action] {
    if (!flags->list_passes && !flags->list_rules && file->count() == 0) throw CLI::RequiredError("FILE");
    action = [flags] { return Opt(*flags); };
  });
}

}  // namespace hloir::tool
