// hloir reduce: the smallest module, or text, that still shows an error. A candidate that may crash runs in a separate
// process.
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
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
#include "tools/flags.h"
#include "tools/optimize_flags.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct ReduceFlags {
  std::string file, test, property, output = "-";
  OptimizeFlags optimize;
  int64_t attempts = 100000;
  double seconds = 60;
  bool json = false;
};

std::string CandidateText(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

// Says how far it is while candidates are tried.
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

// A command's word on a candidate, which lies in a file: 0 is "still so".
class TestCommand {
 public:
  static StatusOr<TestCommand> Make(std::string test) {
    std::string folder = (std::filesystem::temp_directory_path() / "hloir-reduce-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return ResourceExhausted("no temporary folder at " + folder);
    const std::string path = folder + "/candidate.hlo";
    if (test.find("{}") == std::string::npos) test += " {}";
    for (size_t at; (at = test.find("{}")) != std::string::npos;) test.replace(at, 2, path);
    return TestCommand(std::move(folder), path, "(" + test + ") >/dev/null 2>&1");
  }
  TestCommand(TestCommand&& other) noexcept
      : folder_(std::move(other.folder_)), path_(other.path_), line_(other.line_) {
    other.folder_.clear();
  }
  ~TestCommand() {
    std::error_code error;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
  }
  bool Holds(const std::string& text) const { return WriteFile(path_, text).ok() && std::system(line_.c_str()) == 0; }

 private:
  TestCommand(std::string folder, std::string path, std::string line)
      : folder_(std::move(folder)), path_(std::move(path)), line_(std::move(line)) {}
  std::string folder_, path_, line_;
};

// ---- Errors that a module may show ----

// An error without the names and numbers, which change as the module does.
std::string Kind(const Status& status) {
  std::string kind = fmt::format("{}:", static_cast<int>(status.code()));
  bool quoted = false;
  for (char c : status.message().substr(0, status.message().find('\n'))) {
    if (c == '\'') quoted = !quoted;
    else if (!quoted && std::isalpha(static_cast<unsigned char>(c)) != 0) kind += c;
  }
  return kind.substr(0, 40);
}

// All that hloir does with a module: the passes, then a run.
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

bool Crashes(const ReduceFlags& flags, const std::function<void()>& work) {
  const int end = RunInChild(
      [&] {
        // Its words are not ours.
        if (std::freopen("/dev/null", "w", stderr) == nullptr) return 0;
        work();
        return 0;
      },
      flags.seconds);
  return end != 0;  // of a signal, of an error's own exit, or not at all
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

StatusOr<Reduced> Reduce(const ReduceFlags& flags) {
  const auto loaded = ReadModuleFile(flags.file, {.one_module = true});
  const Status refused = loaded.ok() ? OkStatus() : loaded.status();
  std::optional<TestCommand> command;
  if (!flags.test.empty()) {
    HLOIR_ASSIGN_OR_RETURN(TestCommand made, TestCommand::Make(flags.test));
    command.emplace(std::move(made));
    if (loaded.ok())
      return ReduceAsModule(flags, loaded->module(),
                            [&](const HloModule& m) { return command->Holds(CandidateText(m)); });
    HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.file));
    return ReduceAsText(flags, text, [&](const std::string& candidate) { return command->Holds(candidate); });
  }
  if (flags.property == "reject" && !refused.ok()) {
    HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.file));
    const auto verdict = [](const std::string& candidate) -> Status {
      HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(candidate));
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
  if (flags.property == "crash") {
    return ReduceAsModule(flags, module,
                          [&](const HloModule& m) { return Crashes(flags, [&] { (void)Use(flags, m); }); });
  }
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
  if (Status written = WriteFile(flags.output, reduced->text); !written.ok()) return Fail(written);
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
  command->add_flag("--json", flags->json, "Print the report as JSON");
  AddOptimizeFlags(*command, flags->optimize, registry);
  command->callback([flags, &action] { action = [flags] { return Run(*flags); }; });
}

}  // namespace hloir::tool
