// Check() and Checker: a verdict comes from a proof, from tests of the open steps, and from runs on sets of inputs, in
// this order. Proofs are in prove_first.h, steps in steps.h, inputs in input_search.h, the judgement of a set in
// set_judge.h, the answers in outputs.h. Covered by tests/unit/check_test.cc.
#include "hloir/check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "build/bind_sizes.h"
#include "check/divergence.h"
#include "check/extremes.h"
#include "check/input_search.h"
#include "check/judge.h"
#include "check/known_faults.h"
#include "check/measure.h"
#include "check/module_under_test.h"
#include "check/outcome.h"
#include "check/outputs.h"
#include "check/parameter_uses.h"
#include "check/prove_first.h"
#include "check/set_judge.h"
#include "check/sharded.h"
#include "check/steps.h"
#include "check/unknown_calls.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace check {
namespace {

Status CheckSameInterface(const HloModule& a, const HloModule& b, const CheckOptions& options) {
  if (a.entry_computation() == nullptr || b.entry_computation() == nullptr)
    return InvalidArgument("a module without an entry computation has no result");
  const ProgramShape x = a.entry_computation()->program_shape(), y = b.entry_computation()->program_shape();
  std::string what;
  if (x.parameters.size() != y.parameters.size()) {
    what = Format("{} has {} parameters, {} has {}", options.before_name, x.parameters.size(), options.after_name,
                  y.parameters.size());
  }
  const auto compare = [&](const Shape& p, const Shape& q, const std::string& name) {
    if (!what.empty() || p.Compatible(q)) return;
    what = Format("{} is {} in {} and {} in {}", name, p.ToString(false), options.before_name, q.ToString(false),
                  options.after_name);
  };
  for (size_t i = 0; what.empty() && i < x.parameters.size(); ++i)
    compare(x.parameters[i], y.parameters[i], Format("parameter {}", i));
  compare(x.result, y.result, "the result");
  if (what.empty()) return OkStatus();
  if (DeviceCountsOf(a).devices() != DeviceCountsOf(b).devices())
    what += "; a module cannot be compared with its partitioned form for another number of devices";
  return InvalidArgument("the two modules have different parameters or results: " + what);
}

}  // namespace
}  // namespace check

using check::ModuleUnderTest;
using check::Results;

class Checker::Impl {
 public:
  Impl(const HloModule& before, std::vector<InputSet> inputs, CheckOptions options)
      : context_{std::move(options), {}, std::move(inputs)},
        exact_(context_.options.exact),
        generated_(context_.inputs.empty()) {
    // An engine of the caller has no uninterpreted functions.
    if (context_.options.engine) context_.options.runner.unknown_calls = UnknownCalls::kRefuse;
    before_ = std::make_shared<ModuleUnderTest>(before, context_);
    before_text_ = &before;
  }

  StatusOr<Verdict> Check(const HloModule& after);
  void Advance() {
    if (!after_) return;
    before_ = std::move(after_);
    before_text_ = after_text_;
    before_view_ = std::move(after_view_);
    uses_.reset();
  }
  const std::vector<InputSet>& inputs() const { return context_.inputs; }

 private:
  // Checks the modules, or their views on whole arrays.
  StatusOr<Verdict> CheckViews(const HloModule& after);
  StatusOr<InputSet> MakeSet(uint64_t seed, InputKind kind);
  const check::ParameterUses& Uses() {
    if (!uses_) uses_.emplace(before_->module());
    return *uses_;
  }
  void CountDevices(const HloModule& after);
  // Makes all sets of inputs, or one set (`few`).
  Status PrepareInputs(bool few);
  bool CanTestSteps() const;
  void TestOpenSteps(bool exactly, Verdict& verdict);
  // Looks for the steps in which large modules differ bit for bit. Returns whether there are such steps and the results
  // differ, which `verdict` then says.
  bool FindStepsByBits(const HloModule& after, Verdict& verdict);
  // Judges by the proof, the tested steps and runs.
  StatusOr<Verdict> JudgeProved(Verdict verdict, const HloModule& after);
  Status JudgeByRuns(bool one_set, Verdict& verdict);
  bool HaveOtherBits(size_t set);
  StatusOr<size_t> FindDifferingSet();
  Status JudgeFurtherSets(check::SetJudge& judge, Verdict& verdict);
  Status JudgeExtraSet(InputSet inputs, check::SetJudge& judge, Verdict& verdict);
  // Returns whether the differing steps also change a result.
  StatusOr<bool> JudgeDifferentSteps(check::SetJudge& judge, Verdict& verdict);
  std::string DifferentSteps() const;
  void JudgeStored(Verdict& verdict);
  // A difference between results of uninterpreted functions counts only if both modules call the same ones.
  void JudgeUninterpretedCalls(const std::string& note, Verdict& verdict);
  Status Measure(Verdict& verdict);

  check::Context context_;
  bool exact_, generated_, prepared_ = false, counted_ = false;
  const HloModule *before_text_ = nullptr, *after_text_ = nullptr;  // as given
  std::unique_ptr<HloModule> before_view_, after_view_;             // views of partitioned programs on whole arrays
  std::shared_ptr<ModuleUnderTest> before_, after_;
  std::optional<check::ParameterUses> uses_;  // of `before`
  check::SearchedInputs searched_;
  uint64_t made_ = 0;  // sets of inputs before the search
  // State of the current verdict.
  check::Proved proved_;
  check::StepTests steps_;
  std::vector<check::OutputEvidence> outputs_;
};

StatusOr<InputSet> Checker::Impl::MakeSet(uint64_t seed, InputKind kind) {
  // Views on whole arrays have the same inputs on all devices.
  return check::MakeInputSet(before_->module(), Uses(), before_view_ ? DeviceCounts() : context_.counts, seed, kind);
}

void Checker::Impl::CountDevices(const HloModule& after) {
  if (std::exchange(counted_, true)) return;
  DeviceCounts& counts = context_.counts;
  counts = context_.options.runner.devices;
  if (counts.devices() > 0 && !before_view_) return;
  const HloModule& before = before_->module();
  counts = UsesDevices(before) || UsesDevices(after) ? DeviceCountsOf(before) : DeviceCounts();
  if (counts.devices() == 1 && UsesDevices(after)) counts = DeviceCountsOf(after);
}

Status Checker::Impl::PrepareInputs(bool few) {
  if (prepared_) return OkStatus();
  searched_.whole_sets = context_.inputs.size();
  if (generated_) {
    for (; made_ < (few ? 1 : 2); ++made_) {
      const uint64_t seed = context_.options.seed ^ made_;
      HLOIR_ASSIGN_OR_RETURN(InputSet set, MakeSet(seed, seed % 2 == 1 ? InputKind::kCornerCases : InputKind::kPlain));
      context_.inputs.push_back(std::move(set));
    }
    if (few) return OkStatus();
    before_->Forget(0);  // the search watches the values of this run
    const auto make_set = [&](uint64_t seed, InputKind kind) { return MakeSet(seed, kind); };
    HLOIR_ASSIGN_OR_RETURN(searched_, check::SearchInputs(*before_, context_, Uses().HasTypicalValues(), make_set));
  }
  for (const InputSet& set : context_.inputs) {
    if (set.devices.empty()) return InvalidArgument("a set of inputs has no device's arguments");
  }
  prepared_ = true;
  return OkStatus();
}

bool Checker::Impl::CanTestSteps() const {
  return !exact_ && !before_view_ && !UsesDevices(before_->module()) && !UsesDevices(after_->module());
}

void Checker::Impl::TestOpenSteps(bool exactly, Verdict& verdict) {
  const HloModule &before = before_->module(), &after = after_->module();
  if (proved_.all() || !proved_.proof.counterexample.empty() || !CanTestSteps()) return;
  const check::Context given{context_.options, {}, generated_ ? std::vector<InputSet>() : context_.inputs};
  steps_ = check::TestSteps(before, after, Uses(), std::move(proved_.inside), given, exactly);
  verdict.tested_steps = steps_.tested, verdict.different_steps = steps_.different;
  if (const size_t more = steps_.doubtful.size(); more > 0)
    verdict.notes.push_back(Format("not confirmed by a run: {}{}", steps_.doubtful[0],
                                   more > 1 ? Format("; and {} more pairs", more - 1) : ""));
  if (steps_.all && steps_.different.empty()) check::TakeTested(steps_, proved_);
  else proved_.steps.tested = static_cast<int64_t>(steps_.tested.size());
}

// Judges one more set of inputs. The set is kept only if the modules differ on it.
Status Checker::Impl::JudgeExtraSet(InputSet inputs, check::SetJudge& judge, Verdict& verdict) {
  const size_t set = context_.inputs.size();
  context_.inputs.push_back(std::move(inputs));
  HLOIR_RETURN_IF_ERROR(judge.Judge(set));
  if (!verdict.agrees()) return OkStatus();
  before_->Forget(set), after_->Forget(set);
  context_.inputs.pop_back();
  return OkStatus();
}

// Returns whether both modules run on the set, and the bits of a result differ.
bool Checker::Impl::HaveOtherBits(size_t set) {
  const StatusOr<Results>&a = before_->Result(set), &b = after_->Result(set);
  return a.ok() && b.ok() && check::CompareOnAll(*a, *b, {.exact = true}, {}).differing() > 0;
}

// A set on which the bits of a result differ, or the number of sets. Generates sets on demand.
StatusOr<size_t> Checker::Impl::FindDifferingSet() {
  size_t tried = 0;
  for (const bool few : {true, false}) {
    HLOIR_RETURN_IF_ERROR(PrepareInputs(few));
    const size_t count = context_.inputs.size();
    for (size_t k = tried; k < count; ++k) {
      const size_t set = few ? count - 1 - k : k;  // the inputs on which a step differs are the last of the few
      if (HaveOtherBits(set)) return set;
    }
    tried = count;
  }
  return context_.inputs.size();
}

// Modules whose results had the same bits on all sets so far may differ for rare values. They run on further sets, and
// the first few sets on which bits differ are judged.
Status Checker::Impl::JudgeFurtherSets(check::SetJudge& judge, Verdict& verdict) {
  int judged = 0;
  constexpr int kMostJudged = 4;
  const bool undefined = check::IsUndefinedForSome(before_->module());
  for (uint64_t k = 0; k < searched_.further_sets && judged < kMostJudged && verdict.agrees(); ++k) {
    const auto [kind, seed] = check::KindOfFurtherSet(k, undefined);
    HLOIR_ASSIGN_OR_RETURN(InputSet inputs, MakeSet(context_.options.seed + seed, kind));
    const size_t set = context_.inputs.size();
    context_.inputs.push_back(std::move(inputs));
    if (context_.EndsAlone(before_->Result(set), after_->Result(set))) {
      HLOIR_RETURN_IF_ERROR(judge.Judge(set));
    } else if (HaveOtherBits(set)) {
      ++judged;
      HLOIR_RETURN_IF_ERROR(check::IsForCoverage(kind) ? judge.JudgeInWide(set) : judge.Judge(set));
    }
    if (!verdict.agrees()) break;  // the set is kept
    const bool ran = before_->Result(set).ok() && after_->Result(set).ok();
    before_->Forget(set), after_->Forget(set);
    context_.inputs.pop_back();
    if (!ran) break;  // a loop may be endless on more of them
  }
  return OkStatus();
}

// Steps that differ by more than rounding on values of a run decide the verdict if runs show no other difference but
// the bits of a result differ: later roundings may hide such a step. The inputs of that run come first.
StatusOr<bool> Checker::Impl::JudgeDifferentSteps(check::SetJudge& judge, Verdict& verdict) {
  if (steps_.different.empty()) return false;
  if (!steps_.inputs.empty()) {
    HLOIR_RETURN_IF_ERROR(PrepareInputs(/*few=*/true));
    InputSet inputs = std::move(steps_.inputs[0]);
    steps_.inputs.erase(steps_.inputs.begin());
    if (steps_.independent) context_.inputs.push_back(std::move(inputs));
    else HLOIR_RETURN_IF_ERROR(JudgeExtraSet(std::move(inputs), judge, verdict));
  }
  if (!steps_.independent || steps_.narrow) return !verdict.agrees();
  HLOIR_ASSIGN_OR_RETURN(const size_t set, FindDifferingSet());
  if (set == context_.inputs.size()) {
    verdict.notes.push_back(Format("{} differs, but the results agree: {}", DifferentSteps(), steps_.how));
    return false;
  }
  judge.Compare(set);
  const std::string how = Format("the modules differ only in {}: {}", DifferentSteps(), steps_.how);
  if (verdict.outcome == Outcome::kDisagree) verdict.notes.push_back(how);
  if (verdict.agrees()) check::SetOutcome(verdict, Outcome::kDisagree, how);
  return true;
}

std::string Checker::Impl::DifferentSteps() const {
  constexpr size_t kShown = 3;
  std::string all;
  const size_t count = steps_.different.size();
  for (size_t k = 0; k < std::min(kShown, count); ++k) all += (k == 0 ? "" : ", ") + steps_.different[k];
  return count > kShown ? Format("{} and {} more", all, count - kShown) : all;
}

Status Checker::Impl::JudgeByRuns(bool one_set, Verdict& verdict) {
  const HloModule &before = before_->module(), &after = after_->module();
  CountDevices(after);
  verdict.devices = context_.counts.devices();
  const bool pairs = verdict.devices == 1 && check::WantsPairs(before) && check::WantsPairs(after);
  before_->set_pairs(pairs), after_->set_pairs(pairs);
  check::SetJudge judge(context_, *before_, *after_, proved_, generated_, before_view_ != nullptr, verdict);
  HLOIR_ASSIGN_OR_RETURN(const bool differ, JudgeDifferentSteps(judge, verdict));
  if (differ) {
    outputs_ = judge.outputs();
    return OkStatus();
  }
  HLOIR_RETURN_IF_ERROR(PrepareInputs(one_set));
  if (!one_set) verdict.unreached = searched_.unreached, verdict.reached = searched_.reached;
  if (generated_ && verdict.devices == 1) {
    if (!verdict.proof.counterexample.empty())
      HLOIR_RETURN_IF_ERROR(JudgeExtraSet({.devices = {verdict.proof.counterexample}}, judge, verdict));
    for (InputSet& set : steps_.inputs)
      if (verdict.agrees()) HLOIR_RETURN_IF_ERROR(JudgeExtraSet(std::move(set), judge, verdict));
  }
  // Modules that are proved bit for bit, or are identical, need no sets for wide arithmetic. A proof over the reals
  // needs the sets that show a loss of accuracy. Whole runs decide where a step was only tested.
  constexpr size_t kSetsForAccuracy = 26;  // two of each kind of set for wide arithmetic
  const bool over_reals = proved_.all() && context_.options.proofs == Proofs::kEnough && !proved_.tested;
  const size_t whole = one_set && generated_ ? 1 : searched_.whole_sets;
  const bool whole_alone = (one_set && generated_) || verdict.proof.holds || after_ == before_;
  const size_t sets = whole_alone  ? whole
                      : over_reals ? std::min(context_.inputs.size(), whole + kSetsForAccuracy)
                                   : context_.inputs.size();
  for (size_t set = 0; set < sets && verdict.agrees(); ++set) {
    if (set < whole) HLOIR_RETURN_IF_ERROR(judge.Judge(set));
    else if (!over_reals || check::ShowsAccuracy(context_.inputs[set].kind))
      HLOIR_RETURN_IF_ERROR(judge.JudgeInWide(set));
  }
  const bool same_bits = verdict.agrees() && verdict.differing == 0;
  if (generated_ && same_bits && !whole_alone && !over_reals) HLOIR_RETURN_IF_ERROR(JudgeFurtherSets(judge, verdict));
  judge.Finish();
  outputs_ = judge.outputs();
  // A rounding that both modules have may hide one before it that only the second has.
  if (!steps_.narrow || !steps_.independent) return OkStatus();
  const std::string how = Format("the modules differ only in {}: {}", DifferentSteps(), steps_.how);
  if (verdict.outcome == Outcome::kLessAccurate) verdict.notes.push_back(how);
  if (verdict.agrees() && verdict.differing > 0) check::SetOutcome(verdict, Outcome::kLessAccurate, how);
  return OkStatus();
}

void Checker::Impl::JudgeStored(Verdict& verdict) {
  if (check::HasUnknownCalls(before_->module())) {
    verdict.notes.push_back("not compared with the stored results: the custom-calls ran as made-up functions");
    return;
  }
  const Literal stored = Literal::Tuple(context_.options.stored);
  const ModuleRunner runner = [&](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    RunnerOptions options = context_.RunnerOptionsFor(module);
    options.devices = {};
    StatusOr<Runner> prepared = Runner::Prepare(module, options);
    return prepared.ok() ? prepared->RunOnAll(arguments) : StatusOr<Results>(prepared.status());
  };
  verdict.stored =
      CompareWithStored(before_->module(), (*before_->Result(0))[0], stored, context_.ArgumentsOf(0)[0], runner);
  if (verdict.stored->agree || !verdict.agrees()) return;
  check::SetOutcome(verdict, Outcome::kNotAsStored,
                    "the results differ from the stored results: " +
                        verdict.stored->ToString(context_.options.before_name, "stored"));
}

void Checker::Impl::JudgeUninterpretedCalls(const std::string& note, Verdict& verdict) {
  verdict.notes.push_back(note);
  if (verdict.outcome != Outcome::kDisagree && verdict.outcome != Outcome::kLessAccurate) return;
  const std::string why = check::UnknownCallsDifference(before_->module(), after_->module(),
                                                        context_.options.before_name, context_.options.after_name);
  if (!why.empty()) check::SetOutcome(verdict, Outcome::kUnspecified, Format("{}; {}", verdict.reason, why));
}

Status Checker::Impl::Measure(Verdict& verdict) {
  const auto run = [&](int module) { return (module == 0 ? *before_ : *after_).TimeRun(0); };
  HLOIR_ASSIGN_OR_RETURN(const check::TimesOfPair times, check::MeasureByTurns(run));
  verdict.before = times.before;
  verdict.after = times.after;
  verdict.times_differ = times.differ;
  return OkStatus();
}

StatusOr<Verdict> Checker::Impl::Check(const HloModule& after) {
  after_text_ = &after;
  context_.options.exact = exact_;
  const bool partitioned = check::AreOfWholeArrays(*before_text_, after);
  if (!before_view_ && !partitioned) return CheckViews(after);
  const HloModule& whole = check::WholeOf(*before_text_, after);
  if (partitioned) context_.options.exact = false;  // partitioning changes the order of sums
  for (InputSet& set : context_.inputs) set.devices.resize(std::min<size_t>(set.devices.size(), 1));
  if (!before_view_) {
    HLOIR_ASSIGN_OR_RETURN(before_view_, check::MakeWholeView(*before_text_, whole));
    before_ = std::make_shared<ModuleUnderTest>(*before_view_, context_);
    uses_.reset();
  }
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> view, check::MakeWholeView(after, whole));
  after_.reset();
  after_view_ = std::move(view);
  return CheckViews(*after_view_);
}

StatusOr<Verdict> Checker::Impl::CheckViews(const HloModule& after) {
  const CheckOptions& options = context_.options;
  const HloModule& before = before_->module();
  HLOIR_RETURN_IF_ERROR(check::CheckSameInterface(before, after, options));
  after_ = &after == &before ? before_ : std::make_shared<ModuleUnderTest>(after, context_);
  context_.first = &before, context_.pairs_work = check::Context::kPairsWork;
  Verdict verdict;
  proved_ = {}, steps_ = {}, outputs_.clear();
  if (options.proofs == Proofs::kNone) return JudgeProved(std::move(verdict), after);
  const bool by_bits = CanTestSteps() && check::AreLarge(before, after);
  if (by_bits && FindStepsByBits(after, verdict)) return verdict;
  if (!proved_.proof.holds) {
    proved_ = before_view_ ? check::ProvePartitioned(*before_text_, *after_text_)
                           : check::ProveFirst(before, after, options.exact, by_bits);
    TestOpenSteps(/*exactly=*/false, verdict);
  }
  return JudgeProved(std::move(verdict), after);
}

bool Checker::Impl::FindStepsByBits(const HloModule& after, Verdict& verdict) {
  proved_ = check::ProveBitwise(before_->module(), after);
  if (proved_.proof.holds) return false;
  Verdict found;
  TestOpenSteps(/*exactly=*/true, found);
  if (steps_.all && !steps_.different.empty()) {
    StatusOr<Verdict> judged = JudgeProved(std::move(found), after);
    if (judged.ok() && judged->outcome == Outcome::kDisagree) {
      verdict = *std::move(judged);
      return true;
    }
  }
  proved_ = {}, steps_ = {}, outputs_.clear();
  return false;
}

StatusOr<Verdict> Checker::Impl::JudgeProved(Verdict verdict, const HloModule& after) {
  const CheckOptions& options = context_.options;
  const HloModule& before = before_->module();
  verdict.proof = proved_.proof, verdict.steps = proved_.steps;
  verdict.assumptions = proved_.assumptions, verdict.finite_only = proved_.finite_only;
  verdict.rounds_differently = proved_.rounds_differently;
  if (const std::optional<equivalence::Step>& open = proved_.inside.first_open)
    verdict.first_open = {open->after,   open->before,         open->after_source, open->before_source,
                          open->partial, open->partial_source, open->ToString()};
  const bool proved = proved_.all() && options.proofs == Proofs::kEnough;
  const check::RunSize size = proved && generated_ ? check::SizeOfRuns(before, after) : check::RunSize::kSmall;
  const bool one_set = proved && (verdict.proof.holds || size == check::RunSize::kLarge);
  const char* const too_large = HasUnboundedSizes(before) ? "the sizes of its unbounded dimensions (?) are not given"
                                                          : "a run takes too much time or memory";
  const Status judged = size == check::RunSize::kTooLarge ? ResourceExhausted(too_large)
                        : proved && proved_.draws_alike   ? Unimplemented("rng draws other numbers in the other module")
                                                          : JudgeByRuns(one_set, verdict);
  const bool cannot_run =
      judged.code() == StatusCode::kUnimplemented || judged.code() == StatusCode::kResourceExhausted;
  if (!judged.ok() && proved_.over_reals && cannot_run) {
    check::SetOutcome(verdict, Outcome::kUnspecified,
                      Format("they are the same function of real numbers, but not known to be equal bit for bit, and "
                             "were not run: {}",
                             judged.message()));
    return verdict;
  }
  if (!judged.ok() && !(proved && cannot_run)) return judged;
  // Differences that may cancel count only if runs show them.
  if (!steps_.independent && verdict.outcome != Outcome::kDisagree) verdict.different_steps.clear();
  else if (!steps_.independent && !steps_.different.empty())
    verdict.notes.push_back(Format("the modules differ in {}: {}", DifferentSteps(), steps_.how));
  if (!judged.ok()) {
    check::ConcludeWithoutRuns(before, proved_, judged.message(), verdict);
  } else {
    const std::string uninterpreted = check::UnknownCallsNote(before, after);
    if (!uninterpreted.empty()) JudgeUninterpretedCalls(uninterpreted, verdict);
    if (verdict.outcome == Outcome::kDisagree && verdict.proof.holds)
      check::SetOutcome(
          verdict, Outcome::kEnginesDisagree,
          Format("{}; but {}: this is a bug in an engine of hloir or in the proof", verdict.reason, verdict.proof.how));
    check::Conclude(outputs_, proved_, verdict);
  }
  if (verdict.outcome == Outcome::kDisagree || !verdict.finite_only.empty())
    verdict.faults = check::FindKnownFaults(before, after);
  if (!judged.ok()) return verdict;
  if (!options.stored.empty() && verdict.devices == 1 && before_->Result(0).ok()) JudgeStored(verdict);
  // Without leaves, one of the two modules did not terminate.
  if (verdict.outcome == Outcome::kDisagree && options.divergence && !verdict.comparison.leaves.empty())
    verdict.divergence = check::FindDivergence(before, after, context_, verdict.input_set, steps_.first);
  if (options.timing && before_->Result(0).ok() && after_->Result(0).ok()) HLOIR_RETURN_IF_ERROR(Measure(verdict));
  return verdict;
}

Checker::Checker(const HloModule& before, std::vector<InputSet> inputs, CheckOptions options)
    : impl_(std::make_unique<Impl>(before, std::move(inputs), std::move(options))) {}
Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;
StatusOr<Verdict> Checker::Check(const HloModule& after) {
  return Guarded([&] { return impl_->Check(after); });
}
void Checker::Advance() { impl_->Advance(); }
const std::vector<InputSet>& Checker::inputs() const { return impl_->inputs(); }

StatusOr<Verdict> Check(const HloModule& before, const HloModule& after, std::vector<InputSet> inputs,
                        const CheckOptions& options) {
  return Guarded([&] { return Checker(before, std::move(inputs), options).Check(after); });
}

}  // namespace hloir
