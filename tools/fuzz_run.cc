// hloir fuzz run: checks generated or mutated modules (fuzz/checks.h) on all cores. The work runs in processes, each
// with a range of seeds, so that crashes and hangs are findings as well.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/cases.h"
#include "fuzz/checks.h"
#include "fuzz/mutate.h"
#include "fuzz/programs.h"
#include "reduce/reduce.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tools/child.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

constexpr uint64_t kSeedsForAJson = 4;                          // one in this many modules is also checked as JSON
constexpr uint64_t kSeedsForAProof = 8;                         // proofs take longer than all other checks
constexpr int64_t kStretch = 25;                                // seeds that a process is given
constexpr double kSecondsForASeed = 60;                         // limit of CPU time, after which it counts as a hang
constexpr double kMostSecondsForASeed = 20 * kSecondsForASeed;  // limit of wall time, for a process that waits
constexpr int64_t kReductions = 1000;

struct FuzzRunFlags {
  std::string kind = "all", passes, output;
  std::vector<std::string> files;
  std::vector<std::unique_ptr<HloModule>> modules;  // of the files: modules to mutate
  MathMode math = MathMode::kExact;
  std::optional<uint64_t> first;
  int64_t count = 1000;
  int jobs = 0;
  bool rules = false, json = false;
};

std::string FindingText(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

// ---- The work of a process ----

void Send(int descriptor, const Json& line) { WriteAll(descriptor, line.dump() + "\n"); }

class Worker {
 public:
  Worker(const FuzzRunFlags& flags, int descriptor)
      : flags_(flags),
        descriptor_(descriptor),
        checks_(flags.math),
        small_checks_(flags.math, 1 << 14),
        others_(fuzz::PassesBesideTheDefault()) {
    if (StatusOr<std::vector<std::string>> names = SplitPipeline(flags.passes); names.ok()) passes_ = *names;
  }

  void Programs(uint64_t seed) { Program(seed, "programs", fuzz::RandomModule(seed)); }
  void Mutations(uint64_t seed) {
    const HloModule& original = *flags_.modules[seed % flags_.modules.size()];
    Program(seed, "mutations", fuzz::MutateModule(original, seed));
  }

  void Program(uint64_t seed, const char* kind, std::unique_ptr<HloModule> module) {
    const auto look = [&](auto check) {
      const fuzz::Complaint complaint = check(checks_, *module);
      if (complaint.what.empty()) return true;
      const std::unique_ptr<HloModule> small = ReduceModule(
          *module,
          [&](const HloModule& smaller) {
            const fuzz::Complaint other = check(small_checks_, smaller);
            return !other.what.empty() && other.check == complaint.check;
          },
          kReductions);
      Tell(seed, kind, complaint.check, check(checks_, *small).what, *small);
      return false;
    };
    const auto proof = [&] {
      return seed % kSeedsForAProof != 0 ||
             look([&](fuzz::ModuleChecks& c, const HloModule& m) { return c.Proof(m, passes_); });
    };
    if (!flags_.passes.empty()) {
      (void)(look([&](fuzz::ModuleChecks& c, const HloModule& m) { return c.Passes(m, passes_); }) && proof());
      return;
    }
    (void)(look([&](fuzz::ModuleChecks& c, const HloModule& m) { return c.Forms(m, seed % kSeedsForAJson == 0); }) &&
           look([&](fuzz::ModuleChecks& c, const HloModule& m) { return c.Passes(m, {}); }) &&
           look([&](fuzz::ModuleChecks& c, const HloModule& m) {
             return c.Passes(m, others_[seed % others_.size()]);
           }) &&
           proof() && (flags_.math != MathMode::kExact || look([&](fuzz::ModuleChecks& c, const HloModule& m) {
                         return c.Engines(m);
                       })));
  }

  void Cases(uint64_t seed) {
    const auto look = [&](auto check) {
      const fuzz::CaseModule made = fuzz::MakeCases(seed);
      const fuzz::Complaint complaint = check(made);
      if (complaint.what.empty()) return;
      // A single case, if it reproduces the finding.
      for (size_t k = 0; k < made.cases.size(); ++k) {
        fuzz::CaseModule one = fuzz::MakeCases(seed);
        fuzz::KeepCases(one, {static_cast<int64_t>(k)});
        const fuzz::Complaint other = check(one);
        if (other.what.empty() || other.check != complaint.check) continue;
        return Tell(seed, "cases", other.check, made.cases[k].what + ": " + other.what, *one.module, k);
      }
      Tell(seed, "cases", complaint.check, complaint.what, *made.module);
    };
    const auto proof = [&] {
      if (seed % kSeedsForAProof == 0)
        look([&](const fuzz::CaseModule& m) { return checks_.Proof(*m.module, passes_); });
    };
    if (!flags_.passes.empty()) {
      look([&](const fuzz::CaseModule& m) { return checks_.Passes(*m.module, passes_, &m.inputs); });
      proof();
      return;
    }
    proof();
    look([&](const fuzz::CaseModule& m) { return checks_.Forms(*m.module, seed % kSeedsForAJson == 0); });
    look([&](const fuzz::CaseModule& m) { return checks_.Passes(*m.module, {}, &m.inputs); });
    look([&](const fuzz::CaseModule& m) {
      return checks_.Passes(*m.module, others_[seed % others_.size()], &m.inputs);
    });
    if (flags_.math == MathMode::kExact) look([&](const fuzz::CaseModule& m) { return checks_.Engines(m); });
  }

  int Run(uint64_t first, int64_t count) {
    for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
      Send(descriptor_, {{"at", seed}});
      if (!flags_.modules.empty()) {
        Mutations(seed);
        continue;
      }
      if (flags_.kind != "cases") Programs(seed);
      if (flags_.kind != "programs") Cases(seed);
    }
    Json rules = Json::object();
    for (const auto& [rule, fired] : checks_.log().counts()) rules[rule] = fired;
    const fuzz::ProofFiles& proofs = checks_.proofs;
    Send(descriptor_, {{"done", count},
                       {"not_run", checks_.not_run},
                       {"proofs", {proofs.accepted, proofs.unchecked, proofs.refused}},
                       {"rules", std::move(rules)}});
    return 0;
  }

 private:
  void Tell(uint64_t seed, const char* kind, const std::string& check, const std::string& what, const HloModule& module,
            std::optional<size_t> place = std::nullopt) {
    Json finding = {{"seed", seed}, {"kind", kind}, {"check", check}, {"what", what}, {"module", FindingText(module)}};
    if (place) finding["place"] = *place;
    Send(descriptor_, {{"finding", std::move(finding)}});
  }

  const FuzzRunFlags& flags_;
  const int descriptor_;
  fuzz::ModuleChecks checks_;
  fuzz::ModuleChecks small_checks_;  // during a reduction, which may make loops infinite
  const std::vector<std::vector<std::string>> others_;
  std::vector<std::string> passes_;
};

// ---- The campaign ----

struct Stretch {
  uint64_t first = 0;
  int64_t count = 0;
};

class Campaign {
 public:
  Campaign(const FuzzRunFlags& flags, uint64_t first)
      : flags_(flags), first_(first), progress_(static_cast<size_t>(flags.count)) {}

  Status Run() {
    const uint64_t end = first_ + static_cast<uint64_t>(flags_.count);
    for (uint64_t seed = first_; seed < end; seed += kStretch)
      waiting_.push_back({seed, std::min<int64_t>(kStretch, static_cast<int64_t>(end - seed))});
    const size_t jobs =
        flags_.jobs > 0 ? static_cast<size_t>(flags_.jobs) : std::max<size_t>(1, std::thread::hardware_concurrency());
    while (!waiting_.empty() || !running_.empty()) {
      while (!waiting_.empty() && running_.size() < jobs) HLOIR_RETURN_IF_ERROR(Start());
      std::vector<pollfd> ends;
      for (const auto& each : running_) ends.push_back({each->child.descriptor(), POLLIN, 0});
      poll(ends.data(), static_cast<nfds_t>(ends.size()), 1000);
      for (size_t k = ends.size(); k-- > 0;) {
        Running& running = *running_[k];
        if (ends[k].revents == 0) {
          running.hangs = running.child.CpuSeconds() - running.cpu > kSecondsForASeed ||
                          running.watch.Milliseconds() > 1000 * kMostSecondsForASeed;
          if (running.hangs) running.child.Kill();
          continue;
        }
        const bool more = running.child.Read(running.text);
        HLOIR_RETURN_IF_ERROR(Take(running));
        if (!more) HLOIR_RETURN_IF_ERROR(Finish(k));
      }
      HLOIR_RETURN_IF_ERROR(Remember());
    }
    return OkStatus();
  }

  void Report() {
    progress_.Clear();
    size_t all_rules = 0;
    for (const PassInfo& pass : BuiltinPasses().passes()) all_rules += pass.rules.size();
    int64_t findings = 0;
    for (const auto& [key, times] : seen_) findings += times;
    if (flags_.json) {
      Json report = {
          {"seeds", done_},
          {"findings", findings},
          {"kinds", seen_.size()},
          {"not_run", not_run_},
          {"proofs", {{"accepted", proofs_.accepted}, {"unchecked", proofs_.unchecked}, {"refused", proofs_.refused}}},
          {"rules_fired", rules_.size()},
          {"rules_known", all_rules}};
      if (flags_.rules) report["rules"] = rules_;
      Write(stdout, report.dump() + "\n");
      return;
    }
    PrintError("{} seeds, {} findings of {} kinds, {} modules not run; {} of {} rules fired\n", done_, findings,
               seen_.size(), not_run_, rules_.size(), all_rules);
    PrintError("{}\n", proofs_.ToString());
    if (!flags_.rules) return;
    for (const PassInfo& pass : BuiltinPasses().passes()) {
      for (const RuleInfo& rule : pass.rules) {
        const std::string name = fmt::format("{}/{}", pass.name, rule.name);
        const auto found = rules_.find(name);
        PrintError("{:>10}  {}\n", found == rules_.end() ? 0 : found->second, name);
      }
    }
  }
  bool good() const { return seen_.empty(); }

 private:
  struct Running {
    Child child;
    Stretch stretch;
    uint64_t at = 0;
    bool done = false, hangs = false;
    std::string text = {};
    Stopwatch watch = {};  // since the last seed began
    double cpu = 0;        // CPU time used by then
  };

  Status Start() {
    const Stretch stretch = waiting_.front();
    waiting_.pop_front();
    StatusOr<Child> child =
        Child::Start([&](int descriptor) { return Worker(flags_, descriptor).Run(stretch.first, stretch.count); });
    if (!child.ok()) return child.status();
    running_.push_back(std::make_unique<Running>(Running{std::move(*child), stretch, stretch.first}));
    return OkStatus();
  }

  Status Take(Running& running) {
    for (size_t end; (end = running.text.find('\n')) != std::string::npos; running.text.erase(0, end + 1)) {
      const Json line = Json::parse(running.text.substr(0, end), nullptr, /*allow_exceptions=*/false);
      if (line.contains("at")) {
        if (line["at"].get<uint64_t>() != running.stretch.first) ++done_;
        running.at = line["at"].get<uint64_t>();
        running.watch = {};
        running.cpu = running.child.CpuSeconds();
        progress_.Show(static_cast<size_t>(done_), fmt::format("{} kinds of findings", seen_.size()));
      } else if (line.contains("finding")) {
        HLOIR_RETURN_IF_ERROR(Tell(line["finding"]));
      } else if (line.contains("done")) {
        running.done = true;
        ++done_;
        not_run_ += line["not_run"].get<int64_t>();
        proofs_.accepted += line["proofs"][0].get<int64_t>();
        proofs_.unchecked += line["proofs"][1].get<int64_t>();
        proofs_.refused += line["proofs"][2].get<int64_t>();
        for (const auto& [rule, fired] : line["rules"].items()) rules_[rule] += fired.get<int64_t>();
      }
    }
    return OkStatus();
  }

  Status Finish(size_t k) {
    const std::unique_ptr<Running> running = std::move(running_[k]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(k));
    const int status = running->child.Wait();
    if (running->done) return OkStatus();
    // It crashed: the seed is a finding, and another process continues with the remaining seeds.
    ++done_;
    const uint64_t end = running->stretch.first + static_cast<uint64_t>(running->stretch.count);
    if (running->at + 1 < end) waiting_.push_front({running->at + 1, static_cast<int64_t>(end - running->at - 1)});
    const std::string what = running->hangs ? fmt::format("timeout after {} s", kSecondsForASeed)
                             : status < 0   ? fmt::format("killed by signal {}", -status)
                                            : fmt::format("exits with status {}", status);
    return Tell(
        {{"seed", running->at}, {"kind", flags_.kind}, {"check", running->hangs ? "hang" : "crash"}, {"what", what}});
  }

  // One line for each kind: the check, and the message without numbers.
  Status Tell(Json finding) {
    std::string key = finding["check"].get<std::string>() + ": ";
    for (char c : finding["what"].get<std::string>().substr(0, 80))
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) key += c;
    if (++seen_[key] > 1) return OkStatus();
    progress_.Clear();
    if (!flags_.output.empty() && finding.contains("module")) {
      const std::string path = (std::filesystem::path(flags_.output) /
                                fmt::format("{}-{}-{}.hlo", finding["kind"].get<std::string>(),
                                            finding["seed"].get<uint64_t>(), finding["check"].get<std::string>()))
                                   .string();
      HLOIR_RETURN_IF_ERROR(WriteFile(path, finding["module"].get<std::string>()));
      finding["module"] = path;
    }
    Write(stdout, finding.dump() + "\n");
    return FlushStdout();
  }

  // The first seed for the next campaign in the folder: all seeds below are done.
  Status Remember() {
    if (flags_.output.empty()) return OkStatus();
    uint64_t next = first_ + static_cast<uint64_t>(flags_.count);
    for (const Stretch& stretch : waiting_) next = std::min(next, stretch.first);
    for (const auto& running : running_) next = std::min(next, running->at);
    if (next == remembered_) return OkStatus();
    remembered_ = next;
    return WriteFile((std::filesystem::path(flags_.output) / "next").string(), fmt::format("{}\n", next));
  }

  const FuzzRunFlags& flags_;
  const uint64_t first_;
  Progress progress_;
  std::deque<Stretch> waiting_;
  std::vector<std::unique_ptr<Running>> running_;
  std::map<std::string, int64_t> seen_, rules_;
  int64_t done_ = 0, not_run_ = 0;
  fuzz::ProofFiles proofs_;
  uint64_t remembered_ = 0;
};

int Run(FuzzRunFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  if (StatusOr<std::vector<std::string>> names = SplitPipeline(flags.passes); !names.ok()) return Fail(names.status());
  for (const std::string& file : flags.files) {
    StatusOr<ModuleFile> loaded = ReadModuleFile(file, {.one_module = true});
    if (!loaded.ok()) return Fail(loaded.status(), DisplayName(file));
    if (const Status legal = VerifyModule(loaded->module()); !legal.ok()) return Fail(legal, DisplayName(file));
    flags.modules.push_back(loaded->module().Clone());
  }
  uint64_t first = flags.first.value_or(1);
  if (!flags.output.empty()) {
    std::error_code error;
    std::filesystem::create_directories(flags.output, error);
    const auto next = ReadFile((std::filesystem::path(flags.output) / "next").string());
    if (next.ok() && !flags.first) first = std::strtoull(next->c_str(), nullptr, 10);
  }
  Campaign campaign(flags, first);
  const Status ran = campaign.Run();
  if (!ran.ok()) return Fail(ran);
  campaign.Report();
  return campaign.good() ? kExitGood : kExitDisagree;
}

}  // namespace

void AddFuzzRunCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<FuzzRunFlags>();
  static const std::map<std::string, MathMode> kModes = {
      {"exact", MathMode::kExact}, {"rounding", MathMode::kRounding}, {"fast", MathMode::kFast}};
  AddOption(*command, "FILE", flags->files, "Modules to mutate (default: generated modules)");
  AddOption(*command, "--kind KIND", flags->kind, "cases, programs or all (both for each seed, the default)")
      ->check(OneOf({"all", "cases", "programs"}));
  AddOption(*command, "--first N", flags->first, "First seed (default: 1, or the seed after the last campaign in DIR)");
  AddOption(*command, "--count N", flags->count, "Number of seeds")->check(CLI::PositiveNumber);
  AddOption(*command, "--passes A,[B,C],...", flags->passes, "Check only these passes");
  AddChoice(*command, "--math MODE", flags->math, kModes, "Allowed changes of results (see hloir opt --help)");
  AddOption(*command, "--jobs N", flags->jobs, "Number of processes (default: one per core)");
  command->add_flag("--rules", flags->rules, "List how often each rule fired");
  command->add_flag("--json", flags->json,
                    "Print the report as JSON on stdout, after the findings, which are lines of JSON always");
  AddOption(*command, "-o,--output DIR", flags->output, "Output folder for reduced modules that show a finding");
  command->callback([flags, &action] { action = [flags] { return Run(*flags); }; });
}

}  // namespace hloir::tool
