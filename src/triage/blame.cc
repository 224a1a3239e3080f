// See blame.h. Explains each set of stored results on its own inputs first, then compares the stages on generated
// inputs. The most severe finding is the result.
#include "triage/blame.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "check/known_faults.h"
#include "hloir/inspect.h"
#include "hloir/io.h"
#include "support/format.h"
#include "support/guard.h"
#include "support/text.h"
#include "triage/nonfinite.h"
#include "triage/stored.h"

namespace hloir {
namespace {

// Quotes a word for a shell.
std::string Quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "divide.3 (model.py:12)"
std::string Named(const HloInstruction& i) {
  const std::optional<SourceLine> line = SourceOf(i);
  return Format("{} ({}{})", i.name(), i.opcode_name(), line ? ", " + line->ToString() : "");
}

// The instruction that computes the leaf "out2" of the result.
const HloInstruction& MakerOf(const HloModule& module, const std::string& leaf) {
  const HloInstruction* root = module.entry_computation()->root();
  if (root->opcode() != HloOpcode::kTuple || !leaf.starts_with("out")) return *root;
  const int64_t k = std::atoll(leaf.c_str() + 3);
  return k >= 0 && k < root->operand_count() ? *root->operand(k) : *root;
}

class Blamer {
 public:
  Blamer(const DumpFolder::Module& program, const BlameOptions& options) : program_(program), options_(options) {
    check_ = options.check;
    check_.divergence = true, check_.timing = false;
    check_.stored.clear();
    for (const auto* files : {&options.results, &program.values, &program.snapshots})
      stored_files_.insert(stored_files_.end(), files->begin(), files->end());
  }

  StatusOr<Finding> Run();

 private:
  Finding Make(FindingKind kind, Culprit culprit, std::string summary) const;
  Finding OfEngines(const std::string& why) const;
  Status ReadStages();
  StatusOr<std::unique_ptr<HloModule>> ReadStage(size_t k) const;
  Status FillConstants(HloModule& module);

  StatusOr<Finding> JudgeStages(std::vector<InputSet> inputs) const;
  Finding OfAgreement(const Verdict& verdict) const;
  Finding OfPass(const Verdict& verdict, const InputSet& deciding) const;
  void LocatePass(Finding& finding, const InputSet& set) const;
  void LocateFaults(Finding& finding) const;

  StatusOr<Finding> JudgeStored(const triage::StoredSet& set) const;
  StatusOr<Finding> OfWrongResult(const triage::StoredSet& set, Finding stages, const Comparison& plain) const;
  Finding OfRightResult(const triage::StoredSet& set, Finding stages, const Comparison& plain) const;
  std::optional<triage::NonfiniteOrigin> NonfiniteOf(const std::vector<Literal>& arguments) const;

  const std::string& PathOf(size_t k) const { return program_.stages[k].path; }
  bool IsPair() const { return program_.stages.size() > 1; }

  const DumpFolder::Module& program_;
  const BlameOptions& options_;
  CheckOptions check_;
  std::unique_ptr<HloModule> before_, after_;
  std::vector<std::string> stored_files_;
  bool elided_ = false;  // the modules have elided constants
};

Finding Blamer::Make(FindingKind kind, Culprit culprit, std::string summary) const {
  Finding finding = UnknownFinding(program_.name, std::move(summary));
  finding.kind = kind, finding.culprit = culprit;
  finding.stages = static_cast<int64_t>(program_.stages.size());
  return finding;
}

Finding Blamer::OfEngines(const std::string& why) const {
  Finding finding = Make(FindingKind::kDoubt, Culprit::kUnknown, "two engines of hloir disagree: " + why);
  finding.bug = true;
  return finding;
}

// ---- Inputs ----

StatusOr<std::unique_ptr<HloModule>> Blamer::ReadStage(size_t k) const {
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ReadModule(PathOf(k)));
  HLOIR_RETURN_IF_ERROR(FillElided(*module, options_.elided).status());
  return module;
}

Status Blamer::FillConstants(HloModule& module) {
  HLOIR_ASSIGN_OR_RETURN(const int64_t count, FillElided(module, options_.elided));
  elided_ = elided_ || count > 0;
  return OkStatus();
}

Status Blamer::ReadStages() {
  if (!program_.stages.empty()) {
    HLOIR_ASSIGN_OR_RETURN(const ModuleFile first, ReadModuleFile(PathOf(0), {.one_module = true}));
    if (first.has_arguments()) stored_files_.push_back(PathOf(0));
    before_ = first.module().Clone();
    HLOIR_RETURN_IF_ERROR(FillConstants(*before_));
    HLOIR_ASSIGN_OR_RETURN(after_, ReadStage(program_.stages.size() - 1));
  } else {
    if (program_.snapshots.empty()) return InvalidArgument("there is no module");
    HLOIR_ASSIGN_OR_RETURN(before_, ReadModule(program_.snapshots[0]));
    HLOIR_RETURN_IF_ERROR(FillConstants(*before_));
    after_ = before_->Clone();
  }
  check_.runner.devices = UsesDevices(*before_) ? DeviceCountsOf(*before_) : DeviceCounts();
  return OkStatus();
}

// ---- The stages ----

// The finding for modules that agree.
Finding Blamer::OfAgreement(const Verdict& v) const {
  constexpr auto kFine = FindingKind::kFine;
  const std::string sets = Format("{} set{} of inputs", v.input_sets, v.input_sets == 1 ? "" : "s");
  if (v.answer == Answer::kProvedBitwise) return Make(kFine, Culprit::kNone, "the same: proved bit for bit");
  if (!v.faults.empty()) {
    Finding finding = Make(FindingKind::kFault, Culprit::kPass,
                           "the compiled program differs where something overflows or is NaN: " + v.faults[0].what);
    finding.faults = v.faults;
    finding.instruction = v.faults[0].before, finding.partner = v.faults[0].after;
    LocateFaults(finding);
    return finding;
  }
  for (const auto& [name, what] : {std::pair("denormal-flush", "denormals, or signs of zeros or NaN"),
                                   std::pair("signed-zero", "signs of zeros or NaN")}) {
    if (std::find(v.explanations.begin(), v.explanations.end(), name) != v.explanations.end())
      return Make(FindingKind::kUndefined, Culprit::kProgram, Format("the same except for {}", what));
  }
  const bool proved = v.answer == Answer::kProvedReals || v.answer == Answer::kProvedAssuming;
  const std::string how = proved ? "proved over the real numbers" : "tested on " + sets;
  if (!v.finite_only.empty()) {
    return Make(FindingKind::kRounding, Culprit::kRounding,
                Format("the same where nothing overflows ({}): {}", how, v.finite_only[0]));
  }
  if (v.differing == 0 && v.rounds_differently.empty())
    return Make(kFine, Culprit::kNone, Format("the same: {}", proved ? how : "equal bits on " + sets));
  Finding finding =
      Make(FindingKind::kRounding, Culprit::kRounding,
           v.differing == 0 ? Format("the same: {}", how)
                            : Format("the same except for rounding, up to {:.2g}: {}", v.largest_relative, how));
  if (!v.rounds_differently.empty()) finding.details.push_back("rounds differently: " + v.rounds_differently[0]);
  return finding;
}

// Finds the stage after which the results differ, and the first instruction that differs, on the given inputs.
void Blamer::LocatePass(Finding& finding, const InputSet& set) const {
  if (program_.stages.size() < 3) return;
  std::vector<InputSet> sets;
  if (!set.devices.empty()) sets.push_back(set);
  if (options_.on_progress) options_.on_progress(finding);
  CheckOptions quick = check_;
  quick.divergence = false;
  const StatusOr<DumpVerdict> stages = VerifyStages(program_, quick, options_.elided, sets);
  if (!stages.ok()) {
    finding.notes.push_back("the intermediate stages could not be compared: " + stages.status().message());
    return;
  }
  if (stages->guilty <= 0) return;
  const auto guilty = static_cast<size_t>(stages->guilty);
  finding.pass = program_.stages[guilty].name;
  finding.next = Format("hloir verify {} {} --save=case", Quoted(PathOf(guilty - 1)), Quoted(PathOf(guilty)));
  const StatusOr<std::unique_ptr<HloModule>> left = ReadStage(guilty - 1), right = ReadStage(guilty);
  if (!left.ok() || !right.ok()) return;
  CheckOptions step = check_;
  step.before_name = program_.stages[guilty - 1].name, step.after_name = finding.pass;
  const StatusOr<Verdict> verdict = Check(**left, **right, sets, step);
  if (!verdict.ok()) return;
  if (!verdict->faults.empty()) finding.faults = verdict->faults;
  if (!verdict->divergence) return;
  finding.instruction = verdict->divergence->instruction, finding.partner = verdict->divergence->partner;
  finding.details.push_back(verdict->divergence->ToString(step.before_name, step.after_name));
}

// Finds the first stage with the first of the faults.
void Blamer::LocateFaults(Finding& finding) const {
  std::unique_ptr<HloModule> last;
  for (size_t k = 0; program_.stages.size() > 2 && k < program_.stages.size(); ++k) {
    StatusOr<std::unique_ptr<HloModule>> stage = ReadStage(k);
    if (!stage.ok()) continue;
    if (last != nullptr) {
      for (const Verdict::Fault& fault : check::FindKnownFaults(*last, **stage)) {
        if (fault.name != finding.faults[0].name) continue;
        finding.pass = program_.stages[k].name;
        finding.faults = {fault};
        finding.instruction = fault.before, finding.partner = fault.after;
        return;
      }
    }
    last = *std::move(stage);
  }
}

// The finding for modules that disagree on the given inputs.
Finding Blamer::OfPass(const Verdict& v, const InputSet& deciding) const {
  const bool less = v.outcome == Outcome::kLessAccurate;
  Finding finding = Make(less ? FindingKind::kLessAccurate : FindingKind::kFault, Culprit::kPass, "");
  const auto say = [&] {
    const std::string what = finding.faults.empty() ? "" : Format(" ({})", finding.faults[0].name);
    finding.summary = Format("{} {}{}: {}", finding.pass.empty() ? "the compiler" : "'" + finding.pass + "'",
                             less ? "loses digits" : "changes the result", what, v.reason);
  };
  finding.faults = v.faults;
  if (v.divergence) finding.instruction = v.divergence->instruction, finding.partner = v.divergence->partner;
  finding.next = Format("hloir verify {} {} --save=case", Quoted(program_.stages.front().path),
                        Quoted(program_.stages.back().path));
  say();
  LocatePass(finding, deciding);
  if (finding.pass.empty() && v.divergence)
    finding.details.push_back(v.divergence->ToString(check_.before_name, check_.after_name));
  say();
  return finding;
}

StatusOr<Finding> Blamer::JudgeStages(std::vector<InputSet> inputs) const {
  Checker checker(*before_, std::move(inputs), check_);
  HLOIR_ASSIGN_OR_RETURN(const Verdict v, checker.Check(*after_));
  const auto judge = [&]() -> Finding {
    switch (v.outcome) {
      case Outcome::kSameBits:
      case Outcome::kAgree:
      case Outcome::kNotAsStored: return OfAgreement(v);
      case Outcome::kLessAccurate:
      case Outcome::kDisagree:
        return OfPass(v, v.input_set < checker.inputs().size() ? checker.inputs()[v.input_set] : InputSet());
      case Outcome::kUnspecified: return Make(FindingKind::kUndefined, Culprit::kProgram, v.reason);
      case Outcome::kNothingFinite: break;
      case Outcome::kEnginesDisagree: return OfEngines(v.reason);
    }
    Finding finding = Make(FindingKind::kDoubt, Culprit::kUnknown, v.reason);
    const InputSet* first = checker.inputs().empty() ? nullptr : checker.inputs().data();
    if (first == nullptr || first->devices.size() != 1) return finding;
    if (const auto origin = NonfiniteOf(first->devices[0])) {
      finding.culprit = Culprit::kProgram;
      finding.details.push_back(Format("{} computes {}", Named(*origin->instruction), origin->value));
      finding.instruction = origin->instruction->name();
    }
    return finding;
  };
  Finding finding = judge();
  finding.answer = AnswerName(v.answer);
  finding.assumptions = v.assumptions;
  finding.notes.insert(finding.notes.end(), v.notes.begin(), v.notes.end());
  return finding;
}

// ---- Stored results ----

std::optional<triage::NonfiniteOrigin> Blamer::NonfiniteOf(const std::vector<Literal>& arguments) const {
  return triage::FindNonfinite(*before_, Pointers(arguments), ToEvaluatorOptions(check_.runner));
}

// The stored results differ from the last stage's results.
StatusOr<Finding> Blamer::OfWrongResult(const triage::StoredSet& set, Finding stages, const Comparison& plain) const {
  if (auto explained = triage::ExplainStored(*after_, set, plain, check_)) {
    Finding finding = Make(explained->kind, explained->culprit, explained->summary);
    if (!explained->detail.empty()) finding.details.push_back(explained->detail);
    return finding;
  }
  // hloir's own engines must agree before the compiled code is called wrong.
  const StatusOr<Comparison> reference = triage::CompareStored(*after_, set, check_.runner, Engine::kReference);
  if (reference.ok() && reference->agree) return OfEngines(plain.ToString("computed", "stored"));
  const auto wrong =
      std::find_if(plain.leaves.begin(), plain.leaves.end(), [](const LeafDifference& leaf) { return !leaf.agrees; });
  const std::string leaf = wrong == plain.leaves.end() ? "" : wrong->where;
  const HloInstruction& maker = MakerOf(*after_, leaf);
  Finding finding =
      Make(FindingKind::kFault, Culprit::kKernel,
           Format("the executed code is wrong: {}", plain.leaves.empty() ? "the stored results have other shapes"
                                                                         : plain.ToString("computed", "stored")));
  finding.instruction = maker.name();
  if (!leaf.empty()) finding.details.push_back(Format("{} is computed by {}", leaf, Named(maker)));
  finding.details.push_back(IsPair() ? Format("the passes are right on these inputs: {}", stages.summary)
                                     : "there are no stages to compare; hloir's engines compute other results");
  if (!reference.ok()) finding.notes.push_back("only one engine was run: " + reference.status().message());
  finding.next = Format("hloir convert {} --inputs={} -o case.pb",
                        Quoted(IsPair() ? program_.stages.back().path : set.file), Quoted(set.file));
  if (!set.file.ends_with(".npz")) finding.next.clear();  // it is in one file already
  return finding;
}

Finding Blamer::OfRightResult(const triage::StoredSet& set, Finding stages, const Comparison& plain) const {
  Finding finding = std::move(stages);
  if (const auto origin = NonfiniteOf(set.arguments)) {
    const char* what = origin->nan ? "NaN" : "an infinity";
    const bool given = origin->instruction->IsParameter() || origin->instruction->IsConstant();
    finding.kind = FindingKind::kFine, finding.culprit = Culprit::kProgram;
    finding.summary = Format("the program itself computes {}: {} {}", what, Named(*origin->instruction),
                             given ? "contains it" : "is the first instruction that does");
    finding.details = {Format("it is {}", origin->value),
                       "the compiler and the executed code are right: the stored results equal the expected ones"};
    finding.instruction = origin->instruction->name();
    return finding;
  }
  if (finding.kind != FindingKind::kFine && finding.kind != FindingKind::kRounding) return finding;
  if (plain.differing() == 0) {
    finding.details.insert(finding.details.begin(), "the stored results equal the last stage's results bit for bit");
    return finding;
  }
  finding.kind = FindingKind::kRounding, finding.culprit = Culprit::kRounding;
  finding.details.insert(finding.details.begin(), finding.summary);
  finding.summary = Format("rounding explains the stored results: {} elements differ, by up to {:.2g}",
                           plain.differing(), plain.max_relative());
  return finding;
}

StatusOr<Finding> Blamer::JudgeStored(const triage::StoredSet& set) const {
  InputSet inputs;
  inputs.devices.push_back(set.arguments);
  Finding stages = Make(FindingKind::kFine, Culprit::kNone, "there is one stage");
  if (IsPair()) {
    HLOIR_ASSIGN_OR_RETURN(stages, JudgeStages({inputs}));
  }
  HLOIR_ASSIGN_OR_RETURN(const Comparison last, triage::CompareStored(*after_, set, check_.runner, Engine::kFast));
  const bool wrong_pass = stages.kind == FindingKind::kFault || stages.kind == FindingKind::kLessAccurate;
  if (wrong_pass) {
    const StatusOr<Comparison> first = triage::CompareStored(*before_, set, check_.runner, Engine::kFast);
    if (last.agree) stages.details.push_back("the stored results are the last stage's");
    else if (first.ok() && first->agree) stages.details.push_back("the stored results are the first stage's");
    else stages.details.push_back("the stored results are neither the first stage's nor the last stage's");
    return stages;
  }
  if (stages.kind == FindingKind::kUndefined || stages.bug) return stages;
  if (last.agree) return OfRightResult(set, std::move(stages), last);
  return OfWrongResult(set, std::move(stages), last);
}

StatusOr<Finding> Blamer::Run() {
  HLOIR_RETURN_IF_ERROR(ReadStages());
  std::optional<Finding> gravest;
  std::vector<std::string> others;
  const auto add = [&](Finding finding) {
    if (!gravest || finding.kind < gravest->kind) std::swap(finding, gravest ? *gravest : gravest.emplace());
    if (!finding.summary.empty() && finding.summary != gravest->summary) others.push_back(finding.summary);
  };
  int64_t stored = 0;
  for (const std::string& file : stored_files_) {
    if (check_.runner.devices.devices() > 1) {
      others.push_back(FileName(file) + ": stored results of several devices are not compared");
      continue;
    }
    const StatusOr<triage::StoredSet> set = triage::ReadStoredSet(file, *before_);
    if (!set.ok()) return InvalidArgument(Format("{}: {}", file, set.status().message()));
    if (set->results.elements().empty()) continue;  // inputs only
    StatusOr<Finding> finding = JudgeStored(*set);
    if (!finding.ok()) return finding.status();
    ++stored;
    add(*std::move(finding));
  }
  if (IsPair()) {
    HLOIR_ASSIGN_OR_RETURN(Finding finding, JudgeStages({}));
    // Uncertainty on other inputs does not affect the stored results.
    const bool counts = !gravest || finding.kind <= FindingKind::kLessAccurate;
    if (gravest) finding.summary = "on generated inputs: " + finding.summary;
    if (counts) add(std::move(finding));
    else others.push_back(finding.summary);
  } else if (!gravest) {
    add(Make(FindingKind::kDoubt, Culprit::kUnknown, "there is one stage, and there are no stored results"));
  }
  Finding finding = *std::move(gravest);
  finding.stored = stored;
  if (elided_) finding.assumptions.push_back("elided constants have equal values (see --elided)");
  for (std::string& other : others) finding.notes.push_back(std::move(other));
  if (stored == 0 && IsPair() && finding.kind >= FindingKind::kRounding)
    finding.details.push_back("to judge the run too, give its results: --results=X.npz");
  return finding;
}

}  // namespace

Finding UnknownFinding(const std::string& program, const std::string& why) {
  Finding finding;
  finding.program = program, finding.summary = why.substr(0, why.find('\n'));
  return finding;
}

Finding Blame(const DumpFolder::Module& program, const BlameOptions& options) {
  const StatusOr<Finding> finding = Guarded([&] { return Blamer(program, options).Run(); });
  if (finding.ok()) return *finding;
  Finding unknown = UnknownFinding(program.name, finding.status().message());
  unknown.stages = static_cast<int64_t>(program.stages.size());
  return unknown;
}

}  // namespace hloir
