// hloir reduce: reduces a module, or a text, that shows an error. A candidate that may crash runs in a separate
// process.
#include <cctype>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hloir/check.h"
#include "reduce/reduce.h"
#include "hloir/runner.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tools/child.h"
#include "tools/command.h"
#include "tools/elided.h"
#include "tools/flags.h"
#include "tools/optimize_flags.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/test_command.h"

namespace hloir::tool {
namespace {

struct ReduceFlags {
  std::string file, test, property, output = "-";
  OptimizeFlags optimize;
  ElidedValues elided;
  int64_t attempts = 100000;
  double seconds = 60;
  bool json = false;
};

std::string CandidateText(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

// Reports progress while candidates are tried.
class Attempts {
 public:
  explicit Attempts(const ReduceFlags& flags) : progress_(static_cast<size_t>(flags.attempts)) {}
  void Tried(size_t size, std::string_view what) {
    ++tried_;
    progress_.Show(static_cast<size_t>(tried_), fmt::format("{} {}", size, what));
  }
  int64_t tried() const { return tried_; }

 private:
  Progress progress_;
  int64_t tried_ = 0;
};

// ---- Kinds of errors ----

// An error message without names and numbers, which change with the module.
std::string Kind(const Status& status) {
  std::string kind = fmt::format("{}:", static_cast<int>(status.code()));
  bool quoted = false;
  for (char c : status.message().substr(0, status.message().find('\n'))) {
    if (c == '\'') quoted = !quoted;
    else if (!quoted && std::isalpha(static_cast<unsigned char>(c)) != 0) kind += c;
  }
  return kind.substr(0, 40);
}

// Runs the passes and then the module.
Status Use(const ReduceFlags& flags, const HloModule& module) {
  std::unique_ptr<HloModule> after = module.Clone();
  HLOIR_RETURN_IF_ERROR(Optimize(*after, flags.optimize, {}).status());
  for (const HloModule* each : {&module, static_cast<const HloModule*>(after.get())}) {
    RunnerOptions options;
    options.max_steps = 1 << 24;
    options.threads = 1;
    options.devices = UsesDevices(*each) ? DeviceCountsOf(*each) : DeviceCounts();
    HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(*each, options));
    HLOIR_ASSIGN_OR_RETURN(const InputSet inputs, MakeInputSet(*each, options.devices, 0, InputKind::kPlain));
    std::vector<std::vector<const Literal*>> arguments;
    for (const std::vector<Literal>& device : inputs.devices) arguments.push_back(Pointers(device));
    HLOIR_RETURN_IF_ERROR(runner.RunOnAll(arguments).status());
  }
  return OkStatus();
}

StatusOr<bool> Crashes(const ReduceFlags& flags, const std::function<void()>& work) {
  const auto quietly = [&] {
    // Its words are not ours.
    if (std::freopen("/dev/null", "w", stderr) == nullptr) return 0;
    work();
    return 0;
  };
  HLOIR_ASSIGN_OR_RETURN(const int end, RunInChild(quietly, flags.seconds));
  return end != 0;  // by a signal, by an error's exit status, or not at all
}

bool Disagrees(const ReduceFlags& flags, const HloModule& module, const std::vector<InputSet>& inputs) {
  CheckOptions options;
  options.runner.max_steps = 1 << 24;
  options.runner.devices = UsesDevices(module) ? DeviceCountsOf(module) : DeviceCounts();
  options.exact = flags.optimize.math == MathMode::kExact;
  std::unique_ptr<HloModule> after = module.Clone();
  if (!Optimize(*after, flags.optimize, {}).ok()) return false;
  const StatusOr<Verdict> verdict = Check(module, *after, inputs, options);
  return verdict.ok() && (verdict->outcome == Outcome::kDisagree || verdict->outcome == Outcome::kEnginesDisagree);
}

// ---- The command ----

struct Reduced {
  std::string unit;
  int64_t before = 0, after = 0, attempts = 0;
  std::string text = {};
};

StatusOr<Reduced> ReduceAsText(const ReduceFlags& flags, const std::string& text,
                               const std::function<bool(const std::string&)>& property) {
  if (!property(text)) return InvalidArgument("the file does not have the property");
  Attempts attempts(flags);
  Reduced reduced{"bytes", static_cast<int64_t>(text.size())};
  const auto tried = [&](const std::string& candidate) {
    attempts.Tried(candidate.size(), "bytes");
    return property(candidate);
  };
  reduced.text = ReduceText(text, tried, flags.attempts);
  if (!reduced.text.ends_with('\n') && property(reduced.text + "\n")) reduced.text += '\n';
  reduced.after = static_cast<int64_t>(reduced.text.size());
  reduced.attempts = attempts.tried();
  return reduced;
}

StatusOr<Reduced> ReduceAsModule(const ReduceFlags& flags, const HloModule& module,
                                 const std::function<bool(const HloModule&)>& property) {
  if (!property(module)) return InvalidArgument("the module does not have the property");
  Attempts attempts(flags);
  Reduced reduced{"instructions", module.instruction_count()};
  const auto tried = [&](const HloModule& candidate) {
    attempts.Tried(static_cast<size_t>(candidate.instruction_count()), "instructions");
    return property(candidate);
  };
  const std::unique_ptr<HloModule> small = ReduceModule(module, tried, flags.attempts);
  reduced.text = CandidateText(*small);
  reduced.after = small->instruction_count();
  reduced.attempts = attempts.tried();
  return reduced;
}

// `module`: the file's, or nullptr to reduce the file as text.
StatusOr<Reduced> ReduceByTest(const ReduceFlags& flags, const HloModule* module) {
  HLOIR_ASSIGN_OR_RETURN(TestCommand command, TestCommand::Make(flags.test));
  StatusOr<Reduced> reduced = Reduced();
  if (module != nullptr) {
    reduced = ReduceAsModule(flags, *module, [&](const HloModule& m) { return command.Holds(CandidateText(m)); });
  } else {
    HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.file));
    reduced = ReduceAsText(flags, text, [&](const std::string& candidate) { return command.Holds(candidate); });
  }
  HLOIR_RETURN_IF_ERROR(command.failure());
  return reduced;
}

// For errors that may crash the process: each candidate runs in a separate process.
StatusOr<Reduced> ReduceCrash(const ReduceFlags& flags, const HloModule& module) {
  Status failure;  // failure to start a process, which makes the results of candidates unknown
  const auto crashes = [&](const HloModule& candidate) {
    if (!failure.ok()) return false;
    const StatusOr<bool> crashed = Crashes(flags, [&] { (void)Use(flags, candidate); });
    if (!crashed.ok()) failure = crashed.status();
    return crashed.ok() && *crashed;
  };
  StatusOr<Reduced> reduced = ReduceAsModule(flags, module, crashes);
  HLOIR_RETURN_IF_ERROR(failure);
  return reduced;
}

StatusOr<Reduced> Reduce(const ReduceFlags& flags) {
  auto loaded = ReadModuleFile(flags.file, {.one_module = true});
  if (loaded.ok()) HLOIR_RETURN_IF_ERROR(TakeElided(loaded->module(), flags.elided));
  const Status refused = loaded.ok() ? OkStatus() : loaded.status();
  if (!flags.test.empty()) return ReduceByTest(flags, loaded.ok() ? &loaded->module() : nullptr);
  if (flags.property == "reject" && !refused.ok()) {
    HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.file));
    const auto verdict = [](const std::string& candidate) -> Status {
      HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseModule(candidate));
      return VerifyModule(*module);
    };
    const std::string kind = Kind(verdict(text));
    return ReduceAsText(flags, text, [&](const std::string& candidate) {
      const Status status = verdict(candidate);
      return !status.ok() && Kind(status) == kind;
    });
  }
  HLOIR_RETURN_IF_ERROR(refused);
  const HloModule& module = loaded->module();
  if (flags.property == "crash") return ReduceCrash(flags, module);
  if (flags.property == "reject") {
    const std::string kind = Kind(Use(flags, module));
    return ReduceAsModule(flags, module, [&](const HloModule& m) {
      const Status status = Use(flags, m);
      return !status.ok() && Kind(status) == kind;
    });
  }
  return ReduceAsModule(flags, module, [&](const HloModule& m) { return Disagrees(flags, m, {}); });
}

int Run(const ReduceFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  if (flags.test.empty() == flags.property.empty()) return Fail(InvalidArgument("expected --test or --property"));
  const StatusOr<Reduced> reduced = Reduce(flags);
  if (!reduced.ok()) return Fail(reduced.status(), DisplayName(flags.file));
  Status written = WriteOutput(flags.output, reduced->text);
  if (written.ok() && flags.output == "-") written = FlushStdout();
  if (!written.ok()) return Fail(written);
  if (flags.json) {
    PrintJson({{"file", DisplayName(flags.file)},
               {"output", flags.output},
               {"unit", reduced->unit},
               {"before", reduced->before},
               {"after", reduced->after},
               {"attempts", reduced->attempts}});
  } else {
    PrintError("{} {} of {}, {} attempts\n", reduced->after, reduced->unit, reduced->before, reduced->attempts);
  }
  return kExitGood;
}

}  // namespace

void AddReduceCommand(CLI::App* command, Action& action, PassRegistry& registry) {
  auto flags = std::make_shared<ReduceFlags>();
  AddOption(*command, "FILE", flags->file, "HLO text, HloProto, snapshot or JSON, optionally gzipped")->required();
  CLI::Option* test = AddOption(*command, "--test COMMAND", flags->test,
                                "Keep candidates for which this command exits with 0; {} is replaced by the "
                                "candidate's file, which is otherwise the last argument");
  AddOption(*command, "--property WHAT", flags->property,
            "Keep candidates that crash hloir (crash), whose results differ after passes or between engines "
            "(disagree), or that fail with the same message (reject)")
      ->check(OneOf({"crash", "disagree", "reject"}))
      ->excludes(test);
  AddOption(*command, "-o,--output FILE", flags->output, "Output file (default: stdout)");
  AddOption(*command, "--max-attempts N", flags->attempts, "Maximum number of candidates")->check(CLI::PositiveNumber);
  AddOption(*command, "--time-limit SECONDS", flags->seconds, "Time limit per candidate; a timeout counts as a crash")
      ->check(CLI::PositiveNumber);
  AddElidedFlag(*command, flags->elided);
  command->add_flag("--json", flags->json, "Print the report as JSON");
  AddOptimizeFlags(*command, flags->optimize, registry);
  command->callback([flags, &action] { action = [flags] { return Run(*flags); }; });
}

}  // namespace hloir::tool
