// hloir verify: optimizes a module (or takes another one), runs both on the same inputs, and says whether they agree.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/agree.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/modules.h"
#include "tools/npz.h"
#include "tools/optimize_flags.h"
#include "tools/parting.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/specimen.h"
#include "tools/stored.h"
#include "tools/table.h"
#include "tools/traffic.h"

namespace hloir::tool {
namespace {

struct VerifyFlags {
  std::vector<std::string> files;
  OptimizeFlags optimize;
  std::string inputs, save;
  uint64_t seed = 0;
  int threads = 0;
  bool each = false, json = false, has_seed = false;
};

// What came of one module.
struct Verdict {
  std::string file;
  Status status;  // not ok: it could not be judged
  Traffic before, after;
  Agreement agreement;    // of the first inputs that disagree, else of the first
  int64_t differing = 0;  // elements, over all inputs
  double largest_relative = 0;
  std::optional<Comparison> stored;  // against the results that came with the inputs
  std::optional<Parting> parting;    // where the modules part, if they disagree
  std::string saved;                 // what --save wrote of that

  bool agrees() const { return agreement.comparison.agree && (!stored || stored->agree); }
};

// An .npz for all, or a folder with one for each.
std::string InputsOf(const VerifyFlags& flags, const std::string& file) {
  std::error_code error;
  if (flags.inputs.empty() || !std::filesystem::is_directory(flags.inputs, error)) return flags.inputs;
  return (std::filesystem::path(flags.inputs) / std::filesystem::path(file).stem()).string() + ".npz";
}

Status CheckSameInterface(const HloModule& a, const HloModule& b) {
  const ProgramShape x = a.entry_computation()->program_shape(), y = b.entry_computation()->program_shape();
  bool same = x.parameters.size() == y.parameters.size() && x.result.Compatible(y.result);
  for (size_t i = 0; same && i < x.parameters.size(); ++i) same = x.parameters[i].Compatible(y.parameters[i]);
  return same ? OkStatus() : InvalidArgument("the two modules have different parameters or results");
}

// The values that come with a module: in an .npz, or in the file itself if it is a snapshot and no seed is named.
StatusOr<std::optional<StoredValues>> StoredFor(const VerifyFlags& flags, const std::string& name,
                                                const ModuleFile& file) {
  if (!flags.inputs.empty()) {
    HLOIR_ASSIGN_OR_RETURN(StoredValues values, ReadStoredValues(InputsOf(flags, name)));
    return std::optional(std::move(values));
  }
  if (flags.has_seed || !file.has_arguments()) return std::optional<StoredValues>();
  HLOIR_ASSIGN_OR_RETURN(StoredValues values, StoredValuesOf(file.proto));
  return std::optional(std::move(values));
}

// Results may be stored too: the module as it was must give them.
StatusOr<std::optional<Comparison>> CompareStored(std::vector<Literal> leaves, const HloModule& module,
                                                  std::span<const Literal* const> inputs,
                                                  const RunnerOptions& options) {
  if (leaves.empty()) return std::optional<Comparison>();
  const ModuleRunner run = [&](const HloModule& m, std::span<const Literal* const> arguments) -> StatusOr<Literal> {
    HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(m, options));
    return runner.Run(arguments);
  };
  HLOIR_ASSIGN_OR_RETURN(const Literal result, run(module, inputs));
  return std::optional(
      CompareWithStored(module, Literal::Tuple(ResultLeaves(result)), Literal::Tuple(std::move(leaves)), inputs, run));
}

// Writes inputs on which the passes change what the module computes, with the smallest module found of which that is
// true; of two modules, the inputs alone. Returns what was written, in words.
StatusOr<std::string> SaveDisagreement(const VerifyFlags& flags, const std::string& file, const HloModule& before,
                                       bool pair, std::span<const Literal* const> inputs, AgreeOptions options) {
  std::error_code error;
  std::filesystem::create_directories(flags.save, error);
  const std::string stem =
      (std::filesystem::path(flags.save) / std::filesystem::path(DisplayName(file)).stem()).string();
  const auto save_inputs = [&](std::span<const Literal* const> arguments) {
    std::vector<Literal> leaves;
    for (const Literal* argument : arguments)
      for (Literal& leaf : ResultLeaves(*argument)) leaves.push_back(std::move(leaf));
    return WriteNpz(stem + ".npz", "in", Pointers(leaves));
  };
  if (pair) {
    HLOIR_RETURN_IF_ERROR(save_inputs(inputs));
    return "the inputs are in " + stem + ".npz";
  }
  options.timing = false;
  const Shows disagrees = [&](const HloModule& module, std::span<const Literal* const> arguments) {
    std::unique_ptr<HloModule> after = module.Clone();
    if (!Optimize(*after, flags.optimize, {}).ok()) return false;
    const StatusOr<Agreement> agreement = Agree(module, *after, arguments, options);
    return agreement.ok() && !agreement->comparison.agree;
  };
  const Specimen specimen = FindSpecimen(before, inputs, disagrees, options.runner);
  HLOIR_RETURN_IF_ERROR(save_inputs(Pointers(specimen.arguments)));
  HLOIR_RETURN_IF_ERROR(WriteFile(stem + ".hlo", PrintModule(*specimen.module, PrintOptions::Readable())));
  return fmt::format("the smallest module found that shows it, {} instructions, is {}.hlo, its inputs {}.npz",
                     specimen.module->instruction_count(), stem, stem);
}

StatusOr<Verdict> Verify(const VerifyFlags& flags, const std::string& file, const std::string* other) {
  Verdict verdict;
  HLOIR_ASSIGN_OR_RETURN(ModuleFile loaded, LoadModuleFile(file));
  const HloModule* before = &loaded.module();
  HLOIR_ASSIGN_OR_RETURN(std::optional<StoredValues> stored, StoredFor(flags, file, loaded));
  std::unique_ptr<HloModule> after;
  if (other != nullptr) {
    HLOIR_ASSIGN_OR_RETURN(after, LoadModule(*other));
    HLOIR_RETURN_IF_ERROR(CheckSameInterface(*before, *after));
  } else {
    after = before->Clone();
    PipelineOptions pipeline;
    pipeline.verify_each = true;
    HLOIR_ASSIGN_OR_RETURN(const std::vector<PassRun> runs, Optimize(*after, flags.optimize, std::move(pipeline)));
  }
  verdict.before = MeasureTraffic(*before);
  verdict.after = MeasureTraffic(*after);

  AgreeOptions options;
  options.runner.threads = flags.threads;
  options.runner.max_steps = int64_t{1} << 28;  // a made-up input may keep a loop from ending
  options.exact_rewrites = other == nullptr && flags.optimize.math == MathMode::kExact;
  options.timing = true;
  // Made-up inputs are of two kinds: plain numbers, and corner cases among them.
  const int rounds = stored ? 1 : 2;
  for (int round = 0; round < rounds; ++round) {
    HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> arguments,
                           stored ? ArgumentsFromLeaves(*before, std::move(stored->inputs))
                                  : MakeArguments(*before, "", flags.seed ^ static_cast<uint64_t>(round)));
    const std::vector<const Literal*> pointers = Pointers(arguments);
    HLOIR_ASSIGN_OR_RETURN(Agreement agreement, Agree(*before, *after, pointers, options));
    verdict.differing += agreement.comparison.differing();
    for (const LeafDifference& leaf : agreement.comparison.leaves) {
      verdict.largest_relative = std::max(verdict.largest_relative, leaf.max_relative);
    }
    const bool agree = agreement.comparison.agree;
    if (round == 0 || !agree) verdict.agreement = std::move(agreement);
    if (!agree) {
      verdict.parting = FindParting(*before, *after, pointers, options.runner);
      if (!flags.save.empty()) {
        HLOIR_ASSIGN_OR_RETURN(verdict.saved,
                               SaveDisagreement(flags, file, *before, other != nullptr, pointers, options));
      }
      break;
    }
    options.timing = false;
    if (stored) {
      HLOIR_ASSIGN_OR_RETURN(verdict.stored,
                             CompareStored(std::move(stored->results), *before, pointers, options.runner));
      if (verdict.stored && !verdict.stored->agree) {
        verdict.agreement.reason = "the results are not the stored ones: " + FirstDisagreement(*verdict.stored);
      }
    }
  }
  return verdict;
}

std::string Ratio(double before, double after) { return after > 0 ? fmt::format("{:.2f}x", before / after) : "—"; }

std::string Difference(const Verdict& verdict) {
  return verdict.differing == 0 ? "none" : fmt::format("{:.2g}", verdict.largest_relative);
}

double LargestRelative(const Comparison& comparison) {
  double largest = 0;
  for (const LeafDifference& leaf : comparison.leaves) largest = std::max(largest, leaf.max_relative);
  return largest;
}

// From the stored results.
std::string StoredDifference(const Verdict& verdict) {
  if (!verdict.stored) return "";
  return verdict.stored->differing() == 0 ? "none" : fmt::format("{:.2g}", LargestRelative(*verdict.stored));
}

std::string Words(const Verdict& verdict) {
  if (!verdict.status.ok()) {
    switch (ExitStatusOf(verdict.status.code())) {
      case kExitUnsupported: return "not supported";
      case kExitInternal: return "BUG";
      default: return "wrong input";
    }
  }
  if (!verdict.agreement.comparison.agree) return "DISAGREE";
  if (!verdict.agrees()) return "NOT AS STORED";
  return verdict.differing == 0 ? "agree, bit for bit" : "agree";
}

Color ColorOf(const Verdict& verdict) {
  if (!verdict.status.ok()) return Color::kYellow;
  return verdict.agrees() ? Color::kGreen : Color::kRed;
}

int ExitStatusOf(const Verdict& verdict) {
  if (!verdict.status.ok()) return tool::ExitStatusOf(verdict.status.code());
  return verdict.agrees() ? kExitGood : kExitDisagree;
}

nlohmann::ordered_json ToJson(const Verdict& v) {
  nlohmann::ordered_json json = {{"file", v.file}, {"verdict", Words(v)}, {"exit_status", ExitStatusOf(v)}};
  if (!v.status.ok()) {
    json["error"] = v.status.message();
    return json;
  }
  const auto side = [](const Traffic& traffic, double run_ms) {
    return nlohmann::ordered_json{
        {"instructions", traffic.instructions}, {"bytes_moved", traffic.bytes}, {"run_ms", run_ms}};
  };
  json["agree"] = v.agreement.comparison.agree;
  json["before"] = side(v.before, v.agreement.before_ms);
  json["after"] = side(v.after, v.agreement.after_ms);
  json["differing_elements"] = v.differing;
  json["largest_relative_difference"] = v.largest_relative;
  if (v.stored) {
    json["stored"] = {{"agree", v.stored->agree},
                      {"differing_elements", v.stored->differing()},
                      {"largest_relative_difference", LargestRelative(*v.stored)}};
  }
  if (!v.agreement.reason.empty()) json["reason"] = v.agreement.reason;
  if (v.parting) {
    json["first_difference"] = {{"instruction", v.parting->instruction},
                                {"runs_before", v.parting->turn},
                                {"before", v.parting->before},
                                {"after", v.parting->after}};
  }
  if (!v.saved.empty()) json["saved"] = v.saved;
  for (const LeafDifference& leaf : v.agreement.comparison.leaves) {
    json["leaves"].push_back({{"where", leaf.where},
                              {"agrees", leaf.agrees},
                              {"differing", leaf.differing},
                              {"total", leaf.total},
                              {"max_absolute", leaf.max_absolute},
                              {"max_relative", leaf.max_relative},
                              {"allowed_relative", leaf.allowed_relative}});
  }
  return json;
}

void PrintOne(const Verdict& v) {
  Table table({v.file, "before", "after", "ratio"});
  const auto count = [](int64_t n) { return fmt::format("{}", n); };
  table.Add({"instructions", count(v.before.instructions), count(v.after.instructions),
             Ratio(static_cast<double>(v.before.instructions), static_cast<double>(v.after.instructions))});
  table.Add({"bytes moved", HumanBytes(v.before.bytes), HumanBytes(v.after.bytes),
             Ratio(static_cast<double>(v.before.bytes), static_cast<double>(v.after.bytes))});
  table.Add({"time of a run", HumanTime(v.agreement.before_ms), HumanTime(v.agreement.after_ms),
             Ratio(v.agreement.before_ms, v.agreement.after_ms)});
  fmt::print("{}", table.ToString(UseColor(stdout)));
  fmt::print("largest difference: {}\n", Difference(v));
  if (v.stored) fmt::print("from the stored results: {}\n", StoredDifference(v));
  fmt::print("verdict: {}\n", Paint(Words(v), ColorOf(v), UseColor(stdout)));
}

void PrintAll(const std::vector<Verdict>& verdicts) {
  Table table({"module", "instructions", "→", "bytes moved", "→", "time", "→", "faster", "difference", "from stored",
               "verdict"});
  constexpr size_t kVerdict = 10;
  table.LeftAlign(kVerdict);
  size_t agree = 0, exact = 0, disagree = 0, unjudged = 0;
  for (const Verdict& v : verdicts) {
    const std::string name = std::filesystem::path(v.file).stem().string();
    if (!v.status.ok()) {
      ++unjudged;
      table.Add({name, "", "", "", "", "", "", "", "", "", Words(v)});
    } else {
      (v.agrees() ? agree : disagree) += 1;
      exact += v.agrees() && v.differing == 0;
      table.Add({name, fmt::format("{}", v.before.instructions), fmt::format("{}", v.after.instructions),
                 HumanBytes(v.before.bytes), HumanBytes(v.after.bytes), HumanTime(v.agreement.before_ms),
                 HumanTime(v.agreement.after_ms), Ratio(v.agreement.before_ms, v.agreement.after_ms), Difference(v),
                 StoredDifference(v), Words(v)});
    }
    table.PaintLast(kVerdict, ColorOf(v));
  }
  fmt::print("{}", table.ToString(UseColor(stdout)));
  fmt::print("{} modules: {} agree before and after ({} of them bit for bit), {} disagree, {} could not be judged\n",
             verdicts.size(), agree, exact, disagree, unjudged);
}

// Of several outcomes, the one that most asks for attention.
int Worse(int a, int b) {
  for (int status : {kExitInternal, kExitDisagree, kExitBadInput, kExitUnsupported}) {
    if (a == status || b == status) return status;
  }
  return kExitGood;
}

int VerifyAll(const VerifyFlags& flags) {
  const bool pair = flags.files.size() == 2 && !flags.each;
  const size_t count = pair ? 1 : flags.files.size();
  std::vector<Verdict> verdicts;
  int status = kExitGood;
  Progress progress(count);
  for (size_t i = 0; i < count; ++i) {
    const std::string file = DisplayName(flags.files[i]);
    progress.Show(i, file);
    StatusOr<Verdict> verdict = Verify(flags, flags.files[i], pair ? &flags.files[1] : nullptr);
    if (!verdict.ok()) {
      progress.Clear();
      (void)Fail(verdict.status(), file);
    }
    Verdict done;
    if (verdict.ok()) done = std::move(*verdict);
    else done.status = verdict.status();
    done.file = file;
    if (done.status.ok() && !done.agrees()) {
      progress.Clear();
      fmt::print(stderr, "{}: {}\n", file, done.agreement.reason);
      if (done.parting) fmt::print(stderr, "{}: {}\n", file, ToString(*done.parting));
      if (!done.saved.empty()) fmt::print(stderr, "{}: {}\n", file, done.saved);
    }
    status = Worse(status, ExitStatusOf(done));
    verdicts.push_back(std::move(done));
  }
  progress.Clear();
  if (flags.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Verdict& v : verdicts) json.push_back(ToJson(v));
    fmt::print("{}\n", (count == 1 ? json[0] : json).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (count > 1) {
    PrintAll(verdicts);
  } else if (verdicts[0].status.ok()) {
    PrintOne(verdicts[0]);
  }
  return status;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, Action& action) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command =
      app.add_subcommand("verify", "Optimize a module, run it before and after, and say whether they agree");
  command
      ->add_option("FILE", flags->files,
                   "A module; or a module and OTHER, to compare with; or three and more, each by itself")
      ->required()
      ->type_name("");
  AddOptimizeFlags(*command, flags->optimize);
  command
      ->add_option("--inputs", flags->inputs,
                   "Inputs in0, in1, … of this .npz, or of NAME.npz in this folder (default: a snapshot's own); its "
                   "out0, … must be the results")
      ->type_name("X.npz");
  CLI::Option* seed =
      command->add_option("--seed", flags->seed, "Of made-up inputs (two sets: plain numbers, and corner cases)")
          ->type_name("N");
  command->add_option("--threads", flags->threads, "Default: as many as the machine has")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N");
  command
      ->add_option(
          "--save", flags->save,
          "If they disagree, write the inputs here, and the smallest module found that the passes change on them")
      ->type_name("DIR");
  command->add_flag("--each", flags->each, "Two FILEs are two modules, each by itself");
  command->add_flag("--json", flags->json, "Report as JSON");
  command->callback([flags, seed, &action] {
    flags->has_seed = seed->count() > 0;
    action = [flags] { return VerifyAll(*flags); };
  });
}

}  // namespace hloir::tool
