// hloir verify: optimizes a module (or takes another one), runs both on the same inputs, and reports whether they
// agree.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/check.h"
#include "hloir/cost.h"
#include "reduce/reduce.h"
#include "hloir/inspect.h"
#include "hloir/io.h"
#include "check/flat_interface.h"
#include "check/sharded.h"
#include "equivalence/equivalence.h"
#include "equivalence/write_proof.h"
#include "hloir/report.h"
#include "report/table.h"
#include "tools/bind_sizes.h"
#include "tools/command.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/optimize_flags.h"
#include "tools/memory.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/unknown_calls.h"

namespace hloir::tool {
namespace {

struct VerifyFlags {
  std::vector<std::string> files;
  OptimizeFlags optimize;
  ElidedValues elided;
  UnknownCalls unknown_calls = UnknownCalls::kUninterpreted;
  std::string inputs, save, proof;
  uint64_t seed = 0;
  int threads = 0;
  int64_t max_steps = CheckOptions().runner.max_steps;
  DeviceCounts counts{0, 0};  // 0: as the module says
  bool each = false, json = false, has_seed = false, prove = false, strict = false;
};

// The work of a module, counted.
struct Work {
  InstructionCount count;
  int64_t bytes = 0;
};

Work WorkOf(const HloModule& module) {
  constexpr double kMost = 0x1p62;
  return {CountInstructions(module), static_cast<int64_t>(std::min(CostAnalysis(module).total().once.bytes, kMost))};
}

// The result for one module.
struct Row {
  std::string file;
  Status status;  // not ok: it could not be judged
  std::string before_name = "before", after_name = "after";
  Work before, after;
  Verdict verdict;
  std::string saved;  // what --save wrote of a disagreement
  bool strict = false;
};

// An .npz for all, or a folder with one for each.
std::string InputsOf(const VerifyFlags& flags, const std::string& file) {
  std::error_code error;
  if (flags.inputs.empty() || !std::filesystem::is_directory(flags.inputs, error)) return flags.inputs;
  return (std::filesystem::path(flags.inputs) / std::filesystem::path(file).stem()).string() + ".npz";
}

// The sizes of unbounded dimensions of `module`, by the inputs that come with `file`, of that name.
Status BindSizesOf(const VerifyFlags& flags, const std::string& name, const ModuleFile& file, HloModule& module) {
  const std::string path = InputsOf(flags, name);
  if (!HasUnboundedSizes(module) || (path.empty() && (flags.has_seed || !file.has_arguments()))) return OkStatus();
  HLOIR_ASSIGN_OR_RETURN(const StoredValues given, path.empty() ? StoredValuesOf(file.proto) : ReadStoredValues(path));
  return BindGivenSizes(module, given.inputs);
}

// As the module says, unless flags do.
DeviceCounts CountsOf(const VerifyFlags& flags, const HloModule& module) {
  DeviceCounts counts = UsesDevices(module) ? DeviceCountsOf(module) : DeviceCounts();
  if (flags.counts.replicas > 0) counts.replicas = flags.counts.replicas;
  if (flags.counts.partitions > 0) counts.partitions = flags.counts.partitions;
  return counts;
}

// The values that come with a module: in an .npz, or in the file itself if it is a snapshot and no seed is named.
// Empty: inputs are generated. Stored results go into `options`.
StatusOr<std::vector<InputSet>> GivenInputs(const VerifyFlags& flags, const std::string& name, const ModuleFile& file,
                                            CheckOptions& options) {
  std::vector<InputSet> sets;
  const std::string path = InputsOf(flags, name);
  const bool snapshot = path.empty() && !flags.has_seed && file.has_arguments();
  if (path.empty() && !snapshot) return sets;
  InputSet& set = sets.emplace_back();
  if (options.runner.devices.devices() > 1) {
    HLOIR_ASSIGN_OR_RETURN(set.devices, snapshot ? DeviceArgumentsOf(file.module(), options.runner.devices, file.proto)
                                                 : ReadDeviceArguments(file.module(), options.runner.devices, path));
    return sets;
  }
  HLOIR_ASSIGN_OR_RETURN(StoredValues stored, snapshot ? StoredValuesOf(file.proto) : ReadStoredValues(path));
  HLOIR_ASSIGN_OR_RETURN(set.devices.emplace_back(), ArgumentsFromLeaves(file.module(), std::move(stored.inputs)));
  options.stored = std::move(stored.results);
  return sets;
}

// Writes inputs on which the passes change the results, with the smallest module found that shows it; for two modules,
// the smallest parts of both. Returns a description of the files.
StatusOr<std::string> SaveDisagreement(const VerifyFlags& flags, const std::string& file, const HloModule& before,
                                       const HloModule* other, bool inputs_alone, const InputSet& inputs,
                                       CheckOptions options) {
  std::error_code error;
  std::filesystem::create_directories(flags.save, error);
  const std::string stem =
      (std::filesystem::path(flags.save) / std::filesystem::path(DisplayName(file)).stem()).string();
  if (inputs_alone) {
    HLOIR_RETURN_IF_ERROR(WriteSpecimen(stem, inputs));
    return "the inputs are in " + stem + ".npz";
  }
  if (other != nullptr) {
    const ReducedPair pair = ReducePair(before, *other, inputs, options);
    HLOIR_RETURN_IF_ERROR(WriteSpecimen(stem, pair.inputs, pair.before.get(), pair.after.get()));
    return fmt::format(
        "the smallest disagreeing parts found ({} and {} instructions) are {}.hlo and {}.other.hlo, with inputs "
        "{}.npz",
        pair.before->instruction_count(), pair.after->instruction_count(), stem, stem, stem);
  }
  options.timing = options.divergence = false;
  options.stored.clear();
  const auto disagrees = [&](const HloModule& module, const InputSet& arguments) {
    std::unique_ptr<HloModule> after = module.Clone();
    if (!Optimize(*after, flags.optimize, {}).ok()) return false;
    const StatusOr<Verdict> verdict = Check(module, *after, {arguments}, options);
    return verdict.ok() && verdict->outcome == Outcome::kDisagree;
  };
  const ReducedCase reduced = ReduceOnInputs(before, inputs, disagrees, options.runner);
  HLOIR_RETURN_IF_ERROR(WriteSpecimen(stem, reduced.inputs, reduced.module.get()));
  return fmt::format("the smallest disagreeing module found ({} instructions) is {}.hlo, with inputs {}.npz",
                     reduced.module->instruction_count(), stem, stem);
}

// --proof=FILE: writes the proof, if there is one.
Status SaveProof(const VerifyFlags& flags, const HloModule& before, const HloModule& after) {
  if (flags.proof.empty()) return OkStatus();
  const StatusOr<equivalence::WrittenProof> proof = equivalence::WriteProof(before, after);
  if (const std::string note = equivalence::NoteOn(proof); !note.empty()) Note(note);
  return proof.ok() ? WriteOutput(flags.proof, proof->text) : OkStatus();
}

// verify --prove: proves step by step, and runs nothing.
int ProveOnly(const VerifyFlags& flags) {
  StatusOr<std::unique_ptr<HloModule>> before = ReadModule(flags.files[0]);
  if (!before.ok()) return Fail(before.status(), DisplayName(flags.files[0]));
  std::unique_ptr<HloModule> after;
  if (flags.files.size() > 1) {
    StatusOr<std::unique_ptr<HloModule>> other = ReadModule(flags.files[1]);
    if (!other.ok()) return Fail(other.status(), DisplayName(flags.files[1]));
    after = *std::move(other);
    if (const std::string note = check::GiveOneInterface(**before, *after); !note.empty()) Note(note);
  } else {
    after = (*before)->Clone();
    if (StatusOr<std::vector<PassRun>> runs = Optimize(*after, flags.optimize, {}); !runs.ok())
      return Fail(runs.status(), DisplayName(flags.files[0]));
  }
  StatusOr<std::optional<check::WholeViews>> views = check::MakeViewsForProof(**before, *after);
  if (!views.ok()) return Fail(views.status(), DisplayName(flags.files[0]));
  equivalence::Result result =
      *views ? equivalence::ProveInside(*(*views)->before, *(*views)->after, {.whole_arrays = true})
             : equivalence::ProveInside(**before, *after);
  if (const Status saved = SaveProof(flags, **before, *after); !saved.ok()) return Fail(saved);
  std::string text = flags.json ? result.ToJson() + "\n" : result.ToString();
  if (*views && !(*views)->inferred.empty()) {
    // (Which part a device has is assumed then.)
    result.answer = std::max(result.answer, equivalence::Answer::kProvedAssuming);
    text = flags.json ? result.ToJson() + "\n" : result.ToString();
    for (const std::string& line : (*views)->inferred) text += flags.json ? "" : "  assumed by shapes: " + line + "\n";
  }
  Write(stdout, text);
  return result.answer == equivalence::Answer::kOpen ? kExitUnsupported : kExitGood;
}

StatusOr<Row> Verify(const VerifyFlags& flags, const std::string& file, const std::string* other) {
  Row row;
  HLOIR_ASSIGN_OR_RETURN(ModuleFile loaded, ReadForInputs(file, InputsOf(flags, file)));
  HLOIR_RETURN_IF_ERROR(TakeElided(loaded.module(), flags.elided));
  HLOIR_RETURN_IF_ERROR(BindSizesOf(flags, file, loaded, loaded.module()));
  CheckOptions options;
  std::unique_ptr<HloModule> after;
  if (other != nullptr) {
    HLOIR_ASSIGN_OR_RETURN(ModuleFile read, ReadForInputs(*other, InputsOf(flags, file)));
    after = std::move(read.modules.front());
    HLOIR_RETURN_IF_ERROR(TakeElided(*after, flags.elided));
    HLOIR_RETURN_IF_ERROR(BindSizesOf(flags, file, loaded, *after));
    if (const std::string note = check::GiveOneInterface(loaded.module(), *after); !note.empty()) Note(note);
    const std::filesystem::path a = DisplayName(file), b = DisplayName(*other);
    const bool tell = a.filename() != b.filename();
    row.before_name = tell ? a.filename().string() : a.string();
    row.after_name = tell ? b.filename().string() : b.string();
    options.before_name = row.before_name, options.after_name = row.after_name;
  }
  const HloModule& before = loaded.module();
  options.runner.threads = flags.threads;
  options.runner.max_steps = flags.max_steps;
  options.runner.unknown_calls = flags.unknown_calls;
  options.runner.devices = CountsOf(flags, before);
  options.seed = flags.seed;
  options.timing = options.divergence = true;
  options.exact = other == nullptr && flags.optimize.math == MathMode::kExact;
  HLOIR_ASSIGN_OR_RETURN(std::vector<InputSet> inputs, GivenInputs(flags, file, loaded, options));
  if (other == nullptr) {
    after = before.Clone();
    PipelineOptions pipeline;
    pipeline.verify_each = true;
    HLOIR_ASSIGN_OR_RETURN(const std::vector<PassRun> runs, Optimize(*after, flags.optimize, std::move(pipeline)));
  }
  // A program on whole arrays may say in shardings alone how many devices it is for.
  if (const int64_t devices = check::DevicesOfBoth(before, *after); CheckDeviceCounts({1, devices}).ok())
    RaiseMemoryLimit(devices);
  row.before = WorkOf(before);
  row.after = WorkOf(*after);
  RewriteLog log;
  if (other == nullptr) {
    options.record = [&]() -> const RewriteLog* {
      std::unique_ptr<HloModule> again = before.Clone();
      return Optimize(*again, flags.optimize, {}, &log).ok() ? &log : nullptr;
    };
  }
  Checker checker(before, std::move(inputs), options);
  HLOIR_ASSIGN_OR_RETURN(row.verdict, checker.Check(*after));
  HLOIR_RETURN_IF_ERROR(SaveProof(flags, before, *after));
  if (row.verdict.outcome == Outcome::kDisagree && !flags.save.empty()) {
    const InputSet& set = checker.inputs()[row.verdict.input_set];
    const bool endless = row.verdict.comparison.leaves.empty();  // smaller ones would take as long each
    HLOIR_ASSIGN_OR_RETURN(row.saved, SaveDisagreement(flags, file, before, other != nullptr ? after.get() : nullptr,
                                                       endless, set, options));
  }
  return row;
}

std::string Ratio(double before, double after) { return after > 0 ? fmt::format("{:.2f}x", before / after) : "—"; }

// Of run times, only where it is more than noise.
std::string TimeRatio(const Verdict& v) { return v.times_differ ? Ratio(v.before.median, v.after.median) : "~"; }

std::string Words(const Row& row) {
  if (row.status.ok()) return row.verdict.Headline();
  switch (ExitStatusOf(row.status.code())) {
    case kExitUnsupported: return "not supported";
    case kExitInternal: return "BUG";
    default: return "wrong input";
  }
}

int ExitStatusOfRow(const Row& row) {
  if (!row.status.ok()) return tool::ExitStatusOf(row.status.code());
  switch (row.verdict.outcome) {
    case Outcome::kSameBits:
    case Outcome::kAgree: return row.strict && !row.verdict.finite_only.empty() ? kExitDisagree : kExitGood;
    case Outcome::kLessAccurate:
    case Outcome::kDisagree:
    case Outcome::kNotAsStored: return kExitDisagree;
    case Outcome::kNothingFinite:
    case Outcome::kUnspecified: return kExitUnsupported;
    case Outcome::kEnginesDisagree: break;
  }
  return kExitInternal;
}

Color ColorOf(const Row& row) {
  const int status = ExitStatusOfRow(row);
  return status == kExitGood                                  ? Color::kGreen
         : status == kExitDisagree || status == kExitInternal ? Color::kRed
                                                              : Color::kYellow;
}

Json ToJson(const Row& row) {
  Json json = {{"file", row.file}, {"verdict", Words(row)}, {"exit_status", ExitStatusOfRow(row)}};
  if (!row.status.ok()) {
    json["errors"] = Json::parse(DiagnosticsJson(row.status, row.file));
    return json;
  }
  json.update(Json::parse(VerdictJson(row.verdict)));
  for (const auto& [side, work] : {std::pair("before", row.before), std::pair("after", row.after)}) {
    json[side]["instructions"] = work.count.instructions;
    json[side]["top_level_instructions"] = work.count.top_level;
    json[side]["bytes_moved"] = work.bytes;
  }
  if (!row.saved.empty()) json["saved"] = row.saved;
  return json;
}

void PrintOne(const Row& row) {
  const Verdict& v = row.verdict;
  constexpr size_t kFile = 48, kName = 20;  // beside figures in 80 columns
  Table table({row.after_name == "after" ? ShortName(row.file, kFile) : "", ShortName(row.before_name, kName),
               ShortName(row.after_name, kName), "ratio"});
  const auto count = [](int64_t n) { return fmt::format("{}", n); };
  const auto add_count = [&](const char* what, int64_t before, int64_t after) {
    table.Add({what, count(before), count(after), Ratio(static_cast<double>(before), static_cast<double>(after))});
  };
  add_count("instructions", row.before.count.instructions, row.after.count.instructions);
  add_count("top-level (a fusion is one)", row.before.count.top_level, row.after.count.top_level);
  table.Add({"bytes moved", HumanBytes(row.before.bytes), HumanBytes(row.after.bytes),
             Ratio(static_cast<double>(row.before.bytes), static_cast<double>(row.after.bytes))});
  if (v.before.runs > 0)
    table.Add({"time of a run", HumanTime(v.before.median), HumanTime(v.after.median), TimeRatio(v)});
  Write(stdout, ForLocale(table.ToString(UseColor(stdout))));
  PrintText(VerdictReport(v));
  PrintOut("verdict: {}\n", Paint(Words(row), ColorOf(row), UseColor(stdout)));
}

void PrintAll(const std::vector<Row>& rows) {
  const bool stored =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.verdict.stored.has_value(); });
  std::vector<std::string> head = {"module", "top-level", "bytes", "faster", "difference"};
  if (stored) head.push_back("from stored");
  head.push_back("verdict");
  const size_t kVerdict = head.size() - 1, kName = stored ? 12 : 24;  // so that all of it takes 80 columns
  Table table(head);
  table.LeftAlign(kVerdict);
  size_t agree = 0, exact = 0, proved = 0, disagree = 0, unjudged = 0;
  for (const Row& row : rows) {
    std::vector<std::string> cells = {ShortName(std::filesystem::path(row.file).stem().string(), kName)};
    const Verdict& v = row.verdict;
    if (!row.status.ok()) {
      ++unjudged;
      cells.resize(kVerdict);
    } else {
      const int status = ExitStatusOfRow(row);
      (status == kExitGood ? agree : status == kExitUnsupported ? unjudged : disagree) += 1;
      exact += v.outcome == Outcome::kSameBits;
      proved += status == kExitGood && v.answer <= Answer::kProvedAssuming;
      const auto ratio = [](int64_t a, int64_t b) { return Ratio(static_cast<double>(a), static_cast<double>(b)); };
      cells.insert(cells.end(), {ratio(row.before.count.top_level, row.after.count.top_level),
                                 ratio(row.before.bytes, row.after.bytes), TimeRatio(v), LargestDifference(v)});
      if (stored) cells.push_back(StoredDifference(v));
    }
    cells.push_back(Words(row));
    table.Add(std::move(cells));
    table.PaintLast(kVerdict, ColorCode(ColorOf(row)));
  }
  Write(stdout, ForLocale(table.ToString(UseColor(stdout))));
  PrintText(fmt::format(
      "{} modules: {} agree before and after ({} of them bit for bit, {} proved), {} disagree, {} not judged\n",
      rows.size(), agree, exact, proved, disagree, unjudged));
}

// The most severe of several outcomes.
int Worse(int a, int b) {
  for (int status : {kExitInternal, kExitDisagree, kExitBadInput, kExitUnsupported}) {
    if (a == status || b == status) return status;
  }
  return kExitGood;
}

int VerifyAll(const VerifyFlags& flags) {
  const bool pair = flags.files.size() == 2 && !flags.each;
  const size_t count = pair ? 1 : flags.files.size();
  std::vector<Row> rows;
  int status = kExitGood;
  Progress progress(count);
  for (size_t i = 0; i < count; ++i) {
    const std::string file = DisplayName(flags.files[i]);
    progress.Show(i, file);
    StatusOr<Row> row = Verify(flags, flags.files[i], pair ? &flags.files[1] : nullptr);
    if (!row.ok()) {
      progress.Clear();
      (void)Fail(row.status(), file);
    }
    Row done;
    if (row.ok()) done = std::move(*row);
    else done.status = row.status();
    done.file = file;
    done.strict = flags.strict;
    const Verdict& v = done.verdict;
    if (done.status.ok() && !v.reason.empty()) {
      progress.Clear();
      PrintError("{}: {}\n", file, v.reason);
      if (v.divergence) PrintError("{}: {}\n", file, v.divergence->Details(done.before_name, done.after_name));
      if (!done.saved.empty()) PrintError("{}: {}\n", file, done.saved);
    }
    status = Worse(status, ExitStatusOfRow(done));
    rows.push_back(std::move(done));
  }
  progress.Clear();
  if (flags.json) {
    Json json = Json::array();
    for (const Row& row : rows) json.push_back(ToJson(row));
    PrintJson(count == 1 && !flags.each ? json[0] : json);
  } else if (count > 1) {
    PrintAll(rows);
  } else if (rows[0].status.ok()) {
    PrintOne(rows[0]);
  }
  return status;
}

}  // namespace

void AddVerifyCommand(CLI::App* command, Action& action, PassRegistry& registry) {
  auto flags = std::make_shared<VerifyFlags>();
  AddOption(*command, "FILE", flags->files,
            "One module: optimize it and compare; two: compare them; three or more: optimize and compare each")
      ->required();
  AddOptimizeFlags(*command, flags->optimize, registry);
  AddOption(*command, "--inputs X.npz", flags->inputs,
            "Read inputs in0, in1, … from this .npz, or from NAME.npz in this folder (default: the snapshot's, else "
            "generated inputs); results must equal its out0, … within rounding error");
  CLI::Option* seed = AddOption(*command, "--seed N", flags->seed,
                                "Seed of the generated inputs: up to some 70 sets of ten kinds, among them ordinary "
                                "numbers, corner cases, wide ranges, equal rows and single NaNs")
                          ->check(AnySeed());
  AddOption(*command, "--threads N", flags->threads, "Threads of the engine (default: one per core)")
      ->check(Between(0, 1024));
  AddOption(*command, "--max-steps N", flags->max_steps,
            "Stop a run after this many steps (default: 2^28), as for hloir run, beside one run of each instruction")
      ->check(Between(int64_t{1}, EvaluatorOptions{}.max_steps));
  AddOption(*command, "--num-replicas N", flags->counts.replicas,
            "Replicas to simulate (default: from the module, if it has collectives)")
      ->check(Between<int64_t>(1, 1024));
  AddOption(*command, "--num-partitions N", flags->counts.partitions, "Partitions per replica")
      ->check(Between<int64_t>(1, 1024));
  AddOption(*command, "--save DIR", flags->save,
            "On disagreement write the inputs and a reduced module to this folder; for two modules, the reduced parts "
            "that disagree");
  command->add_flag("--each", flags->each,
                    "Optimize and compare each FILE, even if there are two; --json prints a list");
  command->add_flag("--prove", flags->prove,
                    "Prove step by step and run nothing; exit status 3 if steps are left open");
  AddOption(*command, "--proof PROOF", flags->proof,
            "Write the proof, if there is one, to this file, which hloir check-proof checks");
  command->add_flag("--strict", flags->strict, "Exit with 1 also if the modules agree only where nothing overflows");
  AddElidedFlag(*command, flags->elided);
  AddUnknownCallsFlag(*command, flags->unknown_calls);
  command->add_flag("--json", flags->json, "Print the report as JSON");
  command->callback([flags, seed, &action] {
    flags->has_seed = seed->count() > 0;
    action = [flags] { return flags->prove ? ProveOnly(*flags) : VerifyAll(*flags); };
  });
}

}  // namespace hloir::tool
