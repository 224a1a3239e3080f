// See checks.h.
#include "fuzz/checks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "hloir/analysis.h"
#include "hloir/runner.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/verifier.h"

namespace hloir::fuzz {
namespace {

std::string Text(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

// Annotations that passes must keep on a result: frontend attributes and sharding; also the requested layout.
std::string MissingAnnotation(const HloModule& before, const HloModule& after) {
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
    const HloInstruction &old_result = *old_root->operand(k), &result = *root->operand(k);
    const FrontendAttributes& old_attributes = old_result.extras().frontend_attributes;
    const std::string where = " of result " + std::to_string(k) + " are lost";
    if (!old_attributes.empty() && result.extras().frontend_attributes != old_attributes)
      return "the frontend attributes" + where;
    const Sharding* old_sharding = old_result.sharding();
    if (old_sharding != nullptr && (result.sharding() == nullptr || !(*result.sharding() == *old_sharding)))
      return "the shardings" + where;
  }
  return "";
}

// Attributes of an asynchronous operation apply to the wrapped one as well, as in XLA's parser.
bool HasSharedAnnotations(const HloModule& module) {
  return std::any_of(module.computations().begin(), module.computations().end(),
                     [](const HloComputation* c) { return c->MayHave(HloOpcode::kAsyncStart); });
}

// XLA's message has no field for the combination of a named sharding's partial values.
bool NamesReduction(std::string_view text) {
  constexpr std::string_view kUnreduced = "unreduced=";
  for (size_t at = text.find(kUnreduced); at != text.npos; at = text.find(kUnreduced, at + 1))
    if (!text.substr(at + kUnreduced.size()).starts_with('{')) return true;
  return false;
}

std::vector<Literal> Leaves(Literal result) {
  if (!result.shape().IsTuple()) {
    std::vector<Literal> one;
    one.push_back(std::move(result));
    return one;
  }
  return std::move(result.elements());
}

StatusOr<std::vector<Literal>> ResultsOfCases(const CaseModule& cases, const RunnerOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(*cases.module, options));
  HLOIR_ASSIGN_OR_RETURN(Literal result, runner.Run(Pointers(cases.inputs)));
  return Leaves(std::move(result));
}

// One result per set of inputs, on one device.
StatusOr<std::vector<Literal>> ResultsOnAll(const HloModule& module, const std::vector<InputSet>& sets,
                                            const RunnerOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
  std::vector<Literal> results;
  for (const InputSet& set : sets) {
    HLOIR_ASSIGN_OR_RETURN(Literal result, runner.Run(Pointers(set.devices[0])));
    results.push_back(std::move(result));
  }
  return results;
}

bool SameBits(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Literal& x, const Literal& y) { return CompareResults(x, y, {.exact = true}).agree; });
}

}  // namespace

ModuleChecks::ModuleChecks(MathMode math, int64_t max_steps) : math_(math), max_steps_(max_steps) {
  EvaluatorOptions options;
  options.max_steps = max_steps;
  evaluator_ = MakeReferenceEvaluator(options);
  log_.keep_text = false;
}
ModuleChecks::~ModuleChecks() = default;

Complaint ModuleChecks::Forms(const HloModule& module, bool with_json) {
  if (Status legal = VerifyModule(module); !legal.ok()) return {"verifier", legal.message()};
  StatusOr<std::unique_ptr<HloModule>> read = ParseModule(Text(module));
  if (!read.ok()) return {"text", read.status().message()};
  if (StructuralHash(**read) != StructuralHash(module)) return {"text", "its text reads back differently"};
  const std::string text = Text(**read);  // puts the module in text order, which passes keep
  const auto same = [&](StatusOr<std::unique_ptr<HloModule>> back) -> std::string {
    if (!back.ok()) return back.status().message();
    return Text(**back) == text ? "" : "it reads back differently";
  };
  if (std::string what = same(ParseModule(text)); !what.empty()) return {"text", "written again, " + what};
  const auto module_of = [&](StatusOr<HloProtoFile> file) -> StatusOr<std::unique_ptr<HloModule>> {
    if (!file.ok()) return file.status();
    // XLA keeps these beside the message.
    ModuleConfig& config = file->module->config();
    const ModuleConfig& given = (*read)->config();
    config.replica_count = given.replica_count, config.num_partitions = given.num_partitions;
    config.allow_spmd_sharding_propagation_to_parameters = given.allow_spmd_sharding_propagation_to_parameters;
    config.allow_spmd_sharding_propagation_to_output = given.allow_spmd_sharding_propagation_to_output;
    return std::move(file->module);
  };
  if (NamesReduction(text)) return {};
  HloProtoFile file;
  StatusOr<std::string> bytes = SerializeHloProto(file, read->get());
  if (!bytes.ok()) return {"proto", bytes.status().message()};
  if (std::string what = same(module_of(ParseHloProto(*bytes))); !what.empty()) return {"proto", what};
  if (!with_json) return {};
  StatusOr<std::string> json = SerializeHloProtoAsJson(file, read->get());
  if (!json.ok()) return {"json", json.status().message()};
  if (json->find("\xef\xbf\xbd") != json->npos) return {};  // for bytes that are not UTF-8, which JSON cannot hold
  return {"json", same(module_of(ParseHloProtoJson(*json)))};
}

Complaint ModuleChecks::Passes(const HloModule& module, const std::vector<std::string>& passes,
                               const std::vector<Literal>* inputs) {
  FindResults(module, inputs);
  std::unique_ptr<HloModule> optimized = module.Clone();
  Complaint complaint = Run(*optimized, passes, /*watched=*/true);
  if (!complaint.what.empty()) return complaint;
  const std::string alone = passes.size() == 1 ? passes[0] : "pipeline";
  const bool frees = alone == "control-dep-remover" || alone == "despecializer";  // of control dependencies, on purpose
  if (std::string lost = MissingAnnotation(module, *optimized); !frees && !lost.empty()) return {alone, lost};
  const std::string text = Text(*optimized);
  std::unique_ptr<HloModule> again = module.Clone();
  Run(*again, passes, /*watched=*/false);
  if (Text(*again) != text) return {alone, "another run gives another text"};
  StatusOr<std::unique_ptr<HloModule>> read = ParseModule(text);
  if (!read.ok()) return {alone, "the text of the result: " + read.status().message()};
  const std::string back = Text(**read);
  if (back != text && !HasSharedAnnotations(*optimized))
    return {alone, "the text of the result reads back differently"};
  changed_by_.clear();
  complaint = Run(**read, passes, /*watched=*/false);
  if (!complaint.what.empty()) return complaint;
  if (Text(**read) != back) return {changed_by_, "a second run changes the module"};
  return {};
}

Complaint ModuleChecks::Proof(const HloModule& module, const std::vector<std::string>& passes) {
  std::unique_ptr<HloModule> optimized = module.Clone();
  if (Complaint complaint = Run(*optimized, passes, /*watched=*/false); !complaint.what.empty()) return complaint;
  std::string why;
  const ProofFile file = OutcomeOfProofFile(module, *optimized, &why);
  proofs.Count(file);
  if (file == ProofFile::kRefused) return {"check-proof", why};
  return {};
}

Complaint ModuleChecks::Run(HloModule& module, const std::vector<std::string>& passes, bool watched) {
  PassOptions options;
  options.math = math_;
  options.evaluator = evaluator_;
  options.rewriter = &log_;
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
  if (!pipeline.ok()) return {"pipeline", pipeline.status().message()};
  StatusOr<bool> ran = pipeline->RunOnce(module);
  if (!complaint.what.empty()) return complaint;
  return {"pipeline", ran.ok() ? "" : ran.status().message()};
}

// By the reference only, which does not depend on an engine's order of sums.
void ModuleChecks::FindResults(const HloModule& module, const std::vector<Literal>* inputs) {
  checker_.reset();
  before_ = &module;
  if (math_ != MathMode::kExact) return;
  CheckOptions options;
  options.runner.engine = Engine::kReference;
  options.runner.max_steps = max_steps_;
  options.other_engine_work = 0;
  options.exact = true;
  options.proofs = Proofs::kAlso;  // a proof contradicted by values is a finding
  std::vector<InputSet> sets;
  if (inputs != nullptr) {
    sets.push_back({.devices = {*inputs}});
  } else {
    for (uint64_t seed : {0, 1}) {  // plain numbers, and corner cases
      StatusOr<std::vector<Literal>> made = MakeFakeInputs(module, seed);
      if (made.ok()) sets.push_back({.devices = {std::move(*made)}});
    }
  }
  std::erase_if(sets, [&](const InputSet& set) {
    return !evaluator_->EvaluateComputation(*module.entry_computation(), Pointers(set.devices[0])).ok();
  });
  not_run += sets.empty();
  if (!sets.empty()) checker_ = std::make_unique<Checker>(module, std::move(sets), options);
}

std::string ModuleChecks::Judge(const HloModule& now) {
  if (Status legal = VerifyModule(now); !legal.ok()) return "it is not legal: " + legal.message();
  if (!checker_) return "";
  const StatusOr<Verdict> verdict = checker_->Check(now);
  // The verdict may be unable to compare per-device results, for shards without a sharding.
  if (!verdict.ok()) return checker_->Check(*before_).ok() ? "it no longer runs: " + verdict.status().message() : "";
  const bool wrong = verdict->outcome == Outcome::kDisagree || verdict->outcome == Outcome::kEnginesDisagree;
  return wrong ? verdict->reason : "";
}

Complaint ModuleChecks::Engines(const CaseModule& cases) {
  RunnerOptions options;
  options.threads = 1;
  options.max_steps = max_steps_;
  options.engine = Engine::kReference;
  const StatusOr<std::vector<Literal>> want = ResultsOfCases(cases, options);
  if (!want.ok()) return {"reference", want.status().message()};
  options.engine = Engine::kFast;
  for (const std::string& isa : SupportedIsas()) {
    options.isa = isa;
    const StatusOr<std::vector<Literal>> got = ResultsOfCases(cases, options);
    if (!got.ok()) return {isa, got.status().message()};
    for (size_t k = 0; k < cases.cases.size(); ++k) {
      std::string why = Difference((*want)[k], (*got)[k], cases.cases[k].agreement);
      if (!why.empty()) return {isa, cases.cases[k].what + ": " + why};
    }
  }
  return {};
}

// The first instruction set gets a full verdict; others only if their bits differ from the first.
Complaint ModuleChecks::Engines(const HloModule& module) {
  CheckOptions options;
  options.runner.threads = 1;
  options.runner.max_steps = max_steps_;
  options.proofs = Proofs::kNone;  // the engines are under test
  std::vector<InputSet> inputs;    // all reach the same instructions
  std::vector<Literal> first;      // the first one's results on them; none if it does not run
  for (const std::string& isa : SupportedIsas()) {
    options.runner.isa = isa;
    if (!first.empty()) {
      const StatusOr<std::vector<Literal>> results = ResultsOnAll(module, inputs, options.runner);
      if (results.ok() && SameBits(first, *results)) continue;
    }
    Checker checker(module, inputs, options);
    const StatusOr<Verdict> verdict = checker.Check(module);
    if (!verdict.ok()) continue;  // a loop that does not terminate on these values
    if (verdict->outcome == Outcome::kEnginesDisagree || verdict->outcome == Outcome::kDisagree)
      return {isa, verdict->reason};
    if (!inputs.empty()) continue;
    inputs = checker.inputs();
    StatusOr<std::vector<Literal>> results = ResultsOnAll(module, inputs, options.runner);
    if (results.ok()) first = std::move(*results);
  }
  return {};
}

std::vector<std::vector<std::string>> PassesBesideTheDefault() {
  std::vector<std::vector<std::string>> others;
  for (const PassInfo& pass : BuiltinPasses().passes()) {
    bool known = false;
    for (std::string name : BuiltinPasses().default_pipeline()) {
      if (name.starts_with('[')) name.erase(0, 1);
      if (name.ends_with(']')) name.pop_back();
      known |= name == pass.name;
    }
    if (!known) others.push_back({std::string(pass.name)});
  }
  return others;
}

}  // namespace hloir::fuzz
