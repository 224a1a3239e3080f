// pass_fuzzer [--first=SEED] [--count=N] [--math=exact|rounding|fast] [--passes=A,B,...] [--rules]
// Random modules through the default pipeline and, each in turn, through the other passes. Of each must hold: its text
// reads back; after each pass it is legal and, with --math=exact, computes the same bit for bit on plain inputs and on
// corner cases; no control dependency is lost, nor a result's frontend attributes or sharding; the text of the result
// reads back as it is, and a second run on that changes nothing; another run gives the same text. What fails is shrunk
// and printed with its seed and the pass, and the exit status is 1. --rules lists how often each rule fired. ctest runs
// a few hundred; 100,000 are a matter of minutes.
#include <charconv>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/check/reduce.h"
#include "hloir/analysis/structural.h"
#include "hloir/verifier.h"
#include "fuzz/programs.h"

namespace hloir {
namespace {

std::string Text(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

// What is wrong, and after which pass; "" for nothing.
struct Complaint {
  std::string pass, what;
};

class PassFuzzer {
 public:
  explicit PassFuzzer(MathMode math) : math_(math) {
    EvaluatorOptions options;
    options.max_steps = 1 << 20;
    evaluator_ = MakeReferenceEvaluator(options);
    log.keep_text = false;
  }

  int64_t not_run = 0;  // modules that the reference does not run
  RewriteLog log;       // which rules fired how often

  Complaint CheckText(const HloModule& module) {
    if (Status legal = VerifyModule(module); !legal.ok()) return {"verifier", legal.message()};
    StatusOr<std::unique_ptr<HloModule>> read = ParseHloModule(Text(module));
    if (!read.ok()) return {"reader", read.status().message()};
    if (StructuralHash(**read) != StructuralHash(module)) return {"reader", "its text reads back otherwise"};
    const std::string text = Text(**read);  // in the order of text, which it keeps from then on
    read = ParseHloModule(text);
    return {"reader", read.ok() && Text(**read) == text ? "" : "its text does not settle"};
  }

  // An empty list of passes is the default pipeline.
  Complaint Check(const HloModule& module, const std::vector<std::string>& passes) {
    FindResults(module);
    std::unique_ptr<HloModule> optimized = module.Clone();
    Complaint complaint = Run(*optimized, passes, /*watched=*/true);
    if (!complaint.what.empty()) return complaint;
    const std::string alone = passes.size() == 1 ? passes[0] : "";
    const bool frees =
        alone == "control-dep-remover" || alone == "despecializer";  // of control dependencies, on purpose
    if (std::string lost = Lost(module, *optimized); !frees && !lost.empty()) return {alone, lost};
    const std::string text = Text(*optimized);
    std::unique_ptr<HloModule> again = module.Clone();
    Run(*again, passes, /*watched=*/false);
    if (Text(*again) != text) return {"", "another run gives another text"};
    StatusOr<std::unique_ptr<HloModule>> read = ParseHloModule(text);
    if (!read.ok()) return {"", "the text of the result: " + read.status().message()};
    if (Text(**read) != text) return {"", "the text of the result reads back otherwise"};
    changed_by_.clear();
    complaint = Run(**read, passes, /*watched=*/false);
    if (!complaint.what.empty()) return complaint;
    if (Text(**read) != text) return {changed_by_, "a second run changes the module"};
    return {};
  }

 private:
  // What a result has to keep, whatever computes it now: its frontend attributes and sharding. And the order that was
  // asked for.
  static std::string Lost(const HloModule& before, const HloModule& after) {
    const auto edges = [](const HloModule& module) {
      size_t count = 0;
      for (const HloInstruction* i = module.entry_computation()->first(); i != nullptr; i = i->next())
        count += i->control_predecessors().size();
      return count;
    };
    if (edges(after) < edges(before)) return "control dependencies are lost";
    const HloInstruction *old_root = before.entry_computation()->root(), *root = after.entry_computation()->root();
    if (root->opcode() != HloOpcode::kTuple || root->operand_count() != old_root->operand_count()) return "";
    for (int64_t k = 0; k < root->operand_count(); ++k) {
      const InstructionExtras &old_result = old_root->operand(k)->extras(), &result = root->operand(k)->extras();
      const std::string where = " of result " + std::to_string(k) + " are lost";
      if (!old_result.frontend_attributes.empty() && result.frontend_attributes != old_result.frontend_attributes)
        return "the frontend attributes" + where;
      if (old_result.sharding != nullptr && (result.sharding == nullptr || !(*result.sharding == *old_result.sharding)))
        return "the shardings" + where;
    }
    return "";
  }
  Complaint Run(HloModule& module, const std::vector<std::string>& passes, bool watched) {
    PassOptions options;
    options.math = math_;
    options.evaluator = evaluator_;
    options.rewriter = &log;
    PipelineOptions hooks;
    Complaint complaint;
    hooks.after = [&](const PassEvent& event, const HloModule& now) -> Status {
      if (!event.changed) return OkStatus();
      if (changed_by_.empty()) changed_by_ = event.pass;
      if (!watched) return OkStatus();
      complaint = {std::string(event.pass), Judge(now)};
      return complaint.what.empty() ? OkStatus() : Internal("found");
    };
    StatusOr<HloPassPipeline> pipeline = MakePipeline(passes, options, std::move(hooks));
    if (!pipeline.ok()) return {"", pipeline.status().message()};
    StatusOr<bool> ran = pipeline->RunOnce(module);
    if (!complaint.what.empty()) return complaint;
    return {"", ran.ok() ? "" : ran.status().message()};
  }

  // By the reference alone: it does not depend on how an engine orders sums.
  void FindResults(const HloModule& module) {
    checker_.reset();
    if (math_ != MathMode::kExact) return;
    CheckOptions options;
    options.runner.engine = Engine::kReference;
    options.runner.max_steps = 1 << 20;
    options.other_engine_work = 0;
    options.exact = true;
    std::vector<InputSet> inputs;
    for (uint64_t seed : {0, 1}) {  // plain numbers, and corner cases
      StatusOr<std::vector<Literal>> made = MakeFakeInputs(module, seed);
      if (!made.ok()) continue;
      std::vector<const Literal*> arguments;
      for (const Literal& input : *made) arguments.push_back(&input);
      if (evaluator_->EvaluateComputation(*module.entry_computation(), arguments).ok())
        inputs.push_back({.devices = {std::move(*made)}});
    }
    not_run += inputs.empty();
    if (!inputs.empty()) checker_ = std::make_unique<Checker>(module, std::move(inputs), options);
  }
  std::string Judge(const HloModule& now) {
    if (Status legal = VerifyModule(now); !legal.ok()) return "it is not legal: " + legal.message();
    if (!checker_) return "";
    const StatusOr<Verdict> verdict = checker_->Check(now);
    if (!verdict.ok()) return "it does not run any more: " + verdict.status().message();
    return verdict->outcome == Outcome::kDisagree ? verdict->reason : "";
  }

  MathMode math_;
  std::shared_ptr<HloEvaluator> evaluator_;
  std::unique_ptr<Checker> checker_;  // of the module as it came; none if it does not run
  std::string changed_by_;            // the first pass that changed the module in the last run
};

int Main(uint64_t first, int64_t count, MathMode math, const std::string& wanted, bool list_rules) {
  std::vector<std::vector<std::string>> others;  // passes that the default pipeline does not have, one by one
  for (const PassInfo& pass : BuiltinPasses().passes()) {
    bool known = false;
    for (std::string name : BuiltinPasses().default_pipeline()) {
      if (name.starts_with('[')) name.erase(0, 1);
      if (name.ends_with(']')) name.pop_back();
      known |= name == pass.name;
    }
    if (!known) others.push_back({std::string(pass.name)});
  }
  std::vector<std::string> listed;
  if (!wanted.empty()) {
    StatusOr<std::vector<std::string>> names = SplitPipeline(wanted);
    if (!names.ok()) return std::fprintf(stderr, "%s\n", names.status().message().c_str()), 2;
    listed = std::move(*names);
  }
  PassFuzzer checker(math);
  int64_t failures = 0;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    const std::unique_ptr<HloModule> module = fuzz::RandomModule(seed);
    std::vector<std::function<Complaint(const HloModule&)>> checks;
    checks.push_back([&](const HloModule& m) { return checker.CheckText(m); });
    checks.push_back([&](const HloModule& m) { return checker.Check(m, listed); });
    if (listed.empty())
      checks.push_back([&](const HloModule& m) { return checker.Check(m, others[seed % others.size()]); });
    for (const auto& check : checks) {
      const Complaint complaint = check(*module);
      if (complaint.what.empty()) continue;
      ++failures;
      const std::unique_ptr<HloModule> small = ReduceModule(*module, [&](const HloModule& smaller) {
        const Complaint other = check(smaller);
        return !other.what.empty() && other.pass == complaint.pass;
      });
      std::printf("seed %llu, %s: %s\n%s\n", static_cast<unsigned long long>(seed),
                  complaint.pass.empty() ? "pipeline" : complaint.pass.c_str(), check(*small).what.c_str(),
                  Text(*small).c_str());
      std::fflush(stdout);
      break;
    }
  }
  size_t rules = 0;
  for (const PassInfo& pass : BuiltinPasses().passes()) rules += pass.rules.size();
  std::printf("%lld modules, %lld failures, %lld that the reference does not run; %zu of %zu rules fired\n",
              static_cast<long long>(count), static_cast<long long>(failures), static_cast<long long>(checker.not_run),
              checker.log.counts().size(), rules);
  if (list_rules) {
    for (const PassInfo& pass : BuiltinPasses().passes()) {
      for (const RuleInfo& rule : pass.rules) {
        const auto found = checker.log.counts().find(pass.name + "/" + std::string(rule.name));
        std::printf("%10lld  %s/%s\n", static_cast<long long>(found == checker.log.counts().end() ? 0 : found->second),
                    pass.name.c_str(), std::string(rule.name).c_str());
      }
    }
  }
  return failures > 0 ? 1 : 0;
}

}  // namespace
}  // namespace hloir

int main(int argc, char** argv) {
  uint64_t first = 1, count = 1000;
  hloir::MathMode math = hloir::MathMode::kExact;
  std::string passes;
  bool list_rules = false;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const auto number = [&](std::string_view flag, uint64_t& value) {
      if (!word.starts_with(flag)) return false;
      const char* end = word.data() + word.size();
      return std::from_chars(word.data() + flag.size(), end, value).ptr == end;
    };
    if (number("--first=", first) || number("--count=", count)) continue;
    if (word == "--math=exact") math = hloir::MathMode::kExact;
    else if (word == "--math=rounding") math = hloir::MathMode::kRounding;
    else if (word == "--math=fast") math = hloir::MathMode::kFast;
    else if (word == "--rules") list_rules = true;
    else if (word.starts_with("--passes=")) passes = word.substr(9);
    else
      return std::fprintf(stderr,
                          "usage: pass_fuzzer [--first=SEED] [--count=N] [--math=exact|rounding|fast] "
                          "[--passes=A,B,...] [--rules]\n"),
             2;
  }
  return hloir::Main(first, static_cast<int64_t>(count), math, passes, list_rules);
}
