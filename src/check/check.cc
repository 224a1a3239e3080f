// The verdict: Check() and Checker. It runs both modules on each set of inputs and judges the results (JudgeSet), asks
// the other engine, compares the modules in wide arithmetic (meaning.h) and their accuracy (accuracy.h), and adds up
// what was seen on all sets. What excuses a difference is a row of explanations.cc; what is proved comes first, by
// Prove(). Covered by tests/unit/check_test.cc.
#include "hloir/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "check/accuracy.h"
#include "check/compare.h"
#include "check/divergence.h"
#include "check/explanations.h"
#include "check/extremes.h"
#include "check/judge.h"
#include "check/known_faults.h"
#include "check/meaning.h"
#include "check/measure.h"
#include "check/prove_first.h"
#include "check/reach.h"
#include "check/sharded.h"
#include "check/module_under_test.h"
#include "check/parameter_uses.h"
#include "check/sources.h"
#include "check/steps.h"
#include "check/thresholds.h"
#include "check/unknown_calls.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace check {
namespace {

template <class T>
void AddOnce(std::vector<T>& all, T one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
}

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
    what += "; a module cannot be compared with itself partitioned for other devices";
  return InvalidArgument("the two modules have different parameters or results: " + what);
}

Status Of(const std::string& name, const Status& status) {
  return Status(status.code(), name + ": " + status.message());
}

}  // namespace
}  // namespace check

using check::ModuleUnderTest;
using check::Nonfinite;
using check::ResultDifference;
using check::Results;

class Checker::Impl {
 public:
  Impl(const HloModule& before, std::vector<InputSet> inputs, CheckOptions options)
      : context_{std::move(options), {}, std::move(inputs)},
        exact_(context_.options.exact),
        made_up_(context_.inputs.empty()) {
    // An engine of the caller's own makes nothing up.
    if (context_.options.engine) context_.options.runner.unknown_calls = UnknownCalls::kRefuse;
    before_ = std::make_shared<ModuleUnderTest>(before, context_);
    before_text_ = &before;
  }

  StatusOr<Verdict> Check(const HloModule& after);
  void Advance() {
    meaning_.reset();
    if (!after_) return;
    before_ = std::move(after_);
    before_text_ = after_text_;
    before_view_ = std::move(after_view_);
    uses_.reset();
  }
  const std::vector<InputSet>& inputs() const { return context_.inputs; }

 private:
  StatusOr<Verdict> CheckAsTheyAre(const HloModule& after);
  // Programs on whole arrays have the same inputs on all devices.
  StatusOr<InputSet> MakeSet(uint64_t seed, InputKind kind) {
    return check::MakeInputSet(before_->module(), Uses(), before_view_ ? DeviceCounts() : context_.counts, seed, kind);
  }
  const check::ParameterUses& Uses() {
    if (!uses_) uses_.emplace(before_->module());
    return *uses_;
  }
  // `few`: one set of made-up inputs will do.
  Status Prepare(const HloModule& after, bool few);
  // Adds inputs to those that are made up, until they reach all that they can in `before`.
  Status FindInputs();
  // Adds sets of inputs on which the modules are compared in wide arithmetic alone: two runs each.
  Status AddMeaningSets(bool ran);

  Status JudgeByRuns(bool proof_is_enough, Verdict& verdict);
  Status JudgeAll(bool proof_is_enough, Verdict& verdict);
  // Adds what one set of inputs says; `outcome` is then what the verdict would be with this set alone.
  Status JudgeSet(size_t set, Verdict& verdict);
  Status JudgeResults(size_t set, const Results& a, const Results& b, Verdict& verdict);
  // In exact mode: bits by the reference, as the engine under test may order sums as the graph's form suggests.
  Status JudgeBits(size_t set, Verdict& verdict);
  // Called if the engine under test sees no difference: the modules by the other engine, then one module by both.
  Status AskOther(size_t set, Verdict& verdict);
  bool EnginesAgree(ModuleUnderTest& subject, size_t set, Verdict& verdict);
  // Looks for an explanation of a difference. If there is none, the outcome is `otherwise`, for `reason`.
  void JudgeDifference(ResultDifference difference, Verdict& verdict, Outcome otherwise, std::string reason);
  ResultDifference DifferenceOf(check::Between between, size_t set, const Results* a, const Results* b,
                                Comparison seen);
  // A set on which the modules differ in wide arithmetic is judged like the others.
  Status JudgeMeaningSet(size_t set, Verdict& verdict);
  // In wide arithmetic, where the results are the same but for rounding.
  void JudgeMeaning(size_t set, Verdict& verdict);
  void UseMeaning(size_t set, check::Meaning& meaning, Verdict& verdict);
  // What each result lost by rounding, against what the roundings of its module, and of the first, explain.
  void JudgeAccuracy(size_t set, Verdict& verdict);
  void JudgeStored(Verdict& verdict);
  // A difference between results of made-up functions says something only if both modules call the same ones.
  void JudgeMadeUpCalls(const std::string& note, Verdict& verdict);
  void Blame(Verdict& verdict, Outcome outcome, std::string reason);
  // Which NaNs and infinities are judged that one has alone in f64.
  Nonfinite WhichNonfinite(size_t set) const;
  // The answers of the outputs, and of the module.
  void Conclude(Verdict& verdict);
  // By the proof alone.
  void ConcludeWithoutRuns(const std::string& why, Verdict& verdict);
  // Tests what is not proved by itself.
  void TestOpenSteps(Verdict& verdict);
  void JudgeDifferentSteps(Verdict& verdict);
  // What only says that one of the two overflows, of modules that are the same over the reals, is no disagreement.
  void ExcuseByProof(size_t set, Verdict& verdict);
  Status Measure(Verdict& verdict);

  check::Context context_;
  bool exact_, made_up_, prepared_ = false, counted_ = false;
  const HloModule *before_text_ = nullptr, *after_text_ = nullptr;  // as they were given
  std::unique_ptr<HloModule> before_view_, after_view_;             // if they stand for programs on whole arrays
  std::shared_ptr<ModuleUnderTest> before_, after_;
  std::optional<check::ParameterUses> uses_;         // of `before`
  std::unique_ptr<check::MeaningComparer> meaning_;  // of the two
  size_t whole_sets_ = 0;                            // of the inputs; with the others only the meaning is compared
  // By leaf, over the sets of this verdict.
  struct LeafTotal {
    std::string where;
    int64_t total = 0, finite = 0;
    // On some set: it was a number or infinite, not 0, and not decided by rounding errors alone; it was so, and 0;
    // these decided it. (Where all is 0 or noise, as with a saturated softmax, the zeros say nothing.)
    bool judged = false, zero = false, undetermined = false;
    std::string how_undetermined;
    bool known() const { return total == 0 || judged || (zero && !undetermined); }
    void Add(bool has_number, bool is_zero, bool is_undetermined) {
      undetermined = undetermined || is_undetermined;
      if (has_number && !is_undetermined) (is_zero ? zero : judged) = true;
    }
  };
  std::vector<LeafTotal> totals_;
  check::Proved proved_;            // in this verdict
  check::StepTests steps_;          // of what is not
  std::vector<bool> undetermined_;  // by leaf, on the set that is judged
  int accuracy_sets_ = 0;           // on which accuracy was judged in this verdict, beside whole ones
  std::vector<std::string> unreached_;
  int64_t reached_ = 0;
};

Status Checker::Impl::Prepare(const HloModule& after, bool few) {
  if (prepared_) return OkStatus();
  DeviceCounts& counts = context_.counts;
  if (!std::exchange(counted_, true)) {
    counts = context_.options.runner.devices;
    if (counts.devices() == 0 || before_view_) {
      const HloModule& before = before_->module();
      if (UsesDevices(before) || UsesDevices(after)) counts = DeviceCountsOf(before);
      else counts = DeviceCounts();
      if (counts.devices() == 1 && UsesDevices(after)) counts = DeviceCountsOf(after);
    }
  }
  if (made_up_) {
    for (uint64_t kind = context_.inputs.size(); kind < (few ? 1 : 2); ++kind) {
      const uint64_t seed = context_.options.seed ^ kind;
      HLOIR_ASSIGN_OR_RETURN(InputSet set, MakeSet(seed, seed % 2 == 1 ? InputKind::kCornerCases : InputKind::kPlain));
      context_.inputs.push_back(std::move(set));
    }
    if (few) return OkStatus();
    before_->Forget(0);  // what it reaches is still to be seen
    HLOIR_RETURN_IF_ERROR(FindInputs());
  } else {
    whole_sets_ = context_.inputs.size();
  }
  for (const InputSet& set : context_.inputs) {
    if (set.devices.empty()) return InvalidArgument("a set of inputs has no device's arguments");
  }
  prepared_ = true;
  return OkStatus();
}

Status Checker::Impl::FindInputs() {
  constexpr uint64_t kSeedOfTypical = 300;
  constexpr uint64_t kMostTries = 32;
  constexpr double kMostSearchWork = 0x1p23;  // a module that takes long is run on few inputs
  const HloModule& before = before_->module();
  const bool watched = context_.options.other_engine_work > 0 && check::OtherIsReference(context_);
  check::Reach reach(before);
  if (watched) before_->set_watch([&](const HloInstruction& i, const Literal& value) { reach.See(i, value); });
  // Loops that inputs of these kinds keep from ending would take all of the steps that there are.
  const bool may_not_end = check::HasLoops(before), undefined = check::IsUndefinedForSome(before);
  if (Uses().HasTypicalValues()) {
    HLOIR_ASSIGN_OR_RETURN(InputSet typical, MakeSet(context_.options.seed + kSeedOfTypical, InputKind::kTypical));
    context_.inputs.push_back(std::move(typical));
  }
  bool runs = watched;
  for (size_t set = 0; runs && set < context_.inputs.size(); ++set) runs = before_->OtherResult(set).ok();
  // Positive ones give numbers where others do not: logarithms, roots. Of edges, every other set has no constants.
  const InputKind kinds[] = {InputKind::kEdges, InputKind::kEdges, InputKind::kWide, InputKind::kPositive,
                             undefined ? InputKind::kDominant : InputKind::kPlain};
  const uint64_t tries = before.entry_computation()->parameter_count() > 0 ? kMostTries : 0;
  for (uint64_t k = 0; k < tries; ++k) {
    const InputKind kind = kinds[k % std::size(kinds)];
    if (undefined && check::IsForCoverage(kind)) continue;
    const bool always = k < std::size(kinds);  // later sets must reach something
    if (!always && (!runs || reach.reached() == reach.total())) break;
    if (before_->reference_work() > kMostSearchWork) break;
    if (may_not_end && !runs) break;
    const size_t set = context_.inputs.size();
    HLOIR_ASSIGN_OR_RETURN(InputSet made, MakeSet(context_.options.seed + 2 + 2 * k, kind));
    context_.inputs.push_back(std::move(made));
    const int64_t reached = reach.reached();
    const bool ends = runs && before_->OtherResult(set).ok();
    if (runs ? ends && (always || reach.reached() > reached) : !may_not_end) continue;
    context_.inputs.pop_back();
    before_->Forget(set);
  }
  before_->set_watch(nullptr);
  whole_sets_ = context_.inputs.size();
  if (runs) unreached_ = reach.Missing(), reached_ = reach.reached();
  return AddMeaningSets(runs);
}

Status Checker::Impl::AddMeaningSets(bool ran) {
  constexpr double kMostSets = 72;
  constexpr double kMostWork = 0x1p25, kWorkAnInstruction = 128;  // in operations on elements
  constexpr uint64_t kFirstSeed = 100, kFirstSpecial = 200;
  const HloModule& before = before_->module();
  const bool loops = check::HasLoops(before);
  if (context_.counts.devices() > 1 || (loops && !ran) || before.entry_computation()->parameter_count() == 0)
    return OkStatus();
  // What the reference has counted knows how often loops turn.
  const double once = ran && loops ? before_->reference_work() / static_cast<double>(whole_sets_)
                                   : check::WorkOf(CostAnalysis(before).total().once);
  // Double-double is that much slower than the engine.
  const double factor = check::WantsPairs(before) ? 16 : 1;
  const double each = factor * (once + kWorkAnInstruction * static_cast<double>(before.instruction_count()));
  const auto count = static_cast<uint64_t>(std::min(kMostSets, kMostWork / std::max(each, 1.0)));
  const InputKind kinds[] = {InputKind::kMixed,   InputKind::kSpecials, InputKind::kEdges,    InputKind::kMixed,
                             InputKind::kWide,    InputKind::kSpecials, InputKind::kFar,      InputKind::kUniform,
                             InputKind::kMixed,   InputKind::kPositive, InputKind::kDominant, InputKind::kSpecials,
                             InputKind::kSpecials};
  uint64_t specials = 0;
  for (uint64_t k = 0; k < count; ++k) {
    const InputKind kind = kinds[k % std::size(kinds)];
    const uint64_t seed = kind == InputKind::kSpecials ? kFirstSpecial + specials++ : kFirstSeed + k;
    HLOIR_ASSIGN_OR_RETURN(InputSet made, MakeSet(context_.options.seed + seed, kind));
    context_.inputs.push_back(std::move(made));
  }
  return OkStatus();
}

Nonfinite Checker::Impl::WhichNonfinite(size_t set) const {
  const InputSet& inputs = context_.inputs[set];
  if (!check::IsForCoverage(inputs.kind)) return Nonfinite::kAlways;
  return check::HasLargeNumbers(inputs) && check::MayLeaveF64(before_->module()) ? Nonfinite::kWorse : Nonfinite::kBoth;
}

Status Checker::Impl::JudgeMeaningSet(size_t set, Verdict& verdict) {
  constexpr int kMostAccuracySets = 4;
  // What a solver gives of a NaN or of a singular matrix is undefined, but the same solver gives the same.
  const HloModule& before = before_->module();
  const InputKind kind = context_.inputs[set].kind;
  if (check::IsForCoverage(kind) && check::IsUndefinedForSome(before) &&
      !check::HaveSameSolvers(before, after_->module()))
    return OkStatus();
  if (!before_->Ideal(set, /*keep_roundings=*/true).ok() || !after_->Ideal(set, /*keep_roundings=*/true).ok())
    return OkStatus();
  check::Meaning meaning = meaning_->Compare(set, WhichNonfinite(set), /*notes=*/false);
  const bool judges_accuracy = accuracy_sets_ < kMostAccuracySets;
  const bool dropped = !meaning.dropped_rounding.empty() && judges_accuracy;
  accuracy_sets_ += dropped ? 1 : 0;
  if (!meaning.agree || dropped) return JudgeSet(set, verdict);
  ++verdict.input_sets;
  if (!meaning.explanation.empty()) check::AddOnce(verdict.explanations, meaning.explanation);
  for (size_t k = 0; k < std::min(totals_.size(), meaning.has_number.size()); ++k)
    totals_[k].Add(meaning.has_number[k], meaning.is_zero[k], meaning.undetermined[k]);
  if ((kind == InputKind::kFar || kind == InputKind::kWide) && judges_accuracy) {
    ++accuracy_sets_;
    JudgeAccuracy(set, verdict);
  }
  if (!verdict.agrees()) verdict.input_set = set;
  return OkStatus();
}

void Checker::Impl::UseMeaning(size_t set, check::Meaning& meaning, Verdict& verdict) {
  for (std::string& note : meaning.notes) check::AddOnce(verdict.notes, std::move(note));
  undetermined_.resize(std::max(undetermined_.size(), meaning.undetermined.size()));
  for (size_t k = 0; k < meaning.undetermined.size(); ++k)
    undetermined_[k] = undetermined_[k] || meaning.undetermined[k];
  for (size_t k = 0; k < std::min(totals_.size(), meaning.how_undetermined.size()); ++k) {
    if (totals_[k].how_undetermined.empty()) totals_[k].how_undetermined = meaning.how_undetermined[k];
  }
  if (!meaning.agree) return;
  if (!meaning.explanation.empty()) check::AddOnce(verdict.explanations, meaning.explanation);
  if (meaning.dropped_rounding.empty()) return;
  // Results that are no farther apart than a few units in the last place are as accurate.
  Comparison apart = check::CompareOnAll(*before_->Result(set), *after_->Result(set), {}, {});
  if (apart.agree) return;
  const CheckOptions& options = context_.options;
  Blame(verdict, Outcome::kLessAccurate,
        Format("{} leaves out {}: {}", options.after_name, meaning.dropped_rounding,
               apart.ToString(options.before_name, options.after_name)));
  verdict.comparison = std::move(apart);
}

void Checker::Impl::JudgeMeaning(size_t set, Verdict& verdict) {
  // What overflows on inputs that are extreme, and what does not, is judged by the results as they are.
  const bool corner_cases = context_.inputs[set].kind == InputKind::kCornerCases;
  const Nonfinite nonfinite = corner_cases ? Nonfinite::kIgnored : WhichNonfinite(set);
  check::Meaning meaning = meaning_->Compare(set, nonfinite);
  UseMeaning(set, meaning, verdict);
  if (meaning.agree) return;
  ResultDifference difference = DifferenceOf(check::Between::kWideModules, set, nullptr, nullptr, meaning.comparison);
  JudgeDifference(std::move(difference), verdict, Outcome::kDisagree, meaning.reason);
}

void Checker::Impl::JudgeAccuracy(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  if (const std::optional<check::AccuracyLoss> loss = check::LosesMore(*before_, *after_, set)) {
    const int digits = before_->pairs() ? 17 : 9;
    Blame(
        verdict, Outcome::kLessAccurate,
        Format("out{}{} is {:.{}g} in {}, {:.{}g} in {} and {:.{}g} in {}: {:.1f} and {:.1f} decimal digits are right",
               loss->element.leaf, loss->element.element, loss->element.ideal, digits, before_->wide_name(),
               loss->first, digits, options.before_name, loss->element.value, digits, options.after_name,
               loss->digits[0], loss->digits[1]));
    verdict.comparison =
        check::OnlyLeaf(check::CompareOnAll(*before_->Result(set), *after_->Result(set), {}, {}), loss->element.leaf);
    verdict.comparison.agree = false;
    return;
  }
  const std::optional<check::Inaccuracy> after = check::BeyondOwnRounding(*after_, set);
  if (!after) return;
  const std::optional<check::Inaccuracy> before = check::BeyondOwnRounding(*before_, set);
  if (!before) {
    Blame(verdict, Outcome::kDisagree, Format("{} of {}", after->ToString(*after_), options.after_name));
    return;
  }
  // It does not tell the two apart; the engine is wrong, or rounds where nothing was moved.
  verdict.notes.push_back(
      Format("{} of {} (by {})", before->ToString(*before_), options.before_name, before_->engine()));
}

void Checker::Impl::Blame(Verdict& verdict, Outcome outcome, std::string reason) {
  verdict.outcome = outcome;
  verdict.reason = std::move(reason);
}

ResultDifference Checker::Impl::DifferenceOf(check::Between between, size_t set, const Results* a, const Results* b,
                                             Comparison seen) {
  ResultDifference d{between, set, *before_, *after_, a, b, std::move(seen), meaning_.get(), WhichNonfinite(set)};
  d.whole_arrays = before_view_ != nullptr;
  return d;
}

void Checker::Impl::JudgeDifference(ResultDifference d, Verdict& verdict, Outcome otherwise, std::string reason) {
  const Comparison seen = d.seen;
  const check::Explained explained = check::Explain(d);
  Blame(verdict, otherwise, std::move(reason));
  if (explained.row == nullptr) {
    verdict.comparison = seen;
    return;
  }
  check::AddOnce(verdict.explanations, std::string(explained.row->name));
  if (explained.row->outcome == Outcome::kUnspecified) {
    Blame(verdict, Outcome::kUnspecified, verdict.reason + "; " + explained.evidence);
    verdict.comparison = seen;
    return;
  }
  Blame(verdict, Outcome::kAgree, "");
  if (!explained.evidence.empty()) check::AddOnce(verdict.notes, explained.evidence);
  const bool ill_conditioned = explained.row->name == "ill-conditioned" && d.between == check::Between::kModules;
  const bool overflows = explained.row->name == "overflow-at-extremes" && d.between == check::Between::kModules;
  undetermined_.resize(std::max(undetermined_.size(), seen.leaves.size()));
  for (size_t k = 0; k < seen.leaves.size(); ++k) {
    if (seen.leaves[k].agrees) continue;
    if (ill_conditioned) undetermined_[k] = true;
    const LeafDifference& leaf = seen.leaves[k];
    const bool listed = std::any_of(verdict.finite_only.begin(), verdict.finite_only.end(),
                                    [&](const std::string& other) { return other.starts_with(leaf.where + "["); });
    if (overflows && !listed)
      verdict.finite_only.push_back(Format("{}{} is {} ({}) and {} ({})", leaf.where, leaf.element, leaf.a,
                                           context_.options.before_name, leaf.b, context_.options.after_name));
  }
  // The wide comparison may have found a rounding that `after` leaves out.
  if (explained.row->name == "rounding" && d.between == check::Between::kModules && !d.by_other) {
    check::Meaning meaning = meaning_->Compare(d.set, d.nonfinite);
    UseMeaning(d.set, meaning, verdict);
  }
}

bool Checker::Impl::EnginesAgree(ModuleUnderTest& subject, size_t set, Verdict& verdict) {
  Comparison engines = subject.CompareWithReference(*subject.FastResult(set), set);
  if (engines.agree) return true;
  const CheckOptions& options = context_.options;
  ResultDifference d{
      check::Between::kEngines, set, subject, subject, &*subject.ReferenceResult(set), &*subject.FastResult(set),
      std::move(engines)};
  d.module_name = &subject == before_.get() ? options.before_name : options.after_name;
  const std::string reason = Format("two engines disagree about {}: {}", d.module_name, d.ToString());
  JudgeDifference(std::move(d), verdict, Outcome::kEnginesDisagree, reason);
  return verdict.agrees();
}

Status Checker::Impl::JudgeBits(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  const StatusOr<Results>& a = before_->OtherResult(set, /*whatever_it_takes=*/true);
  if (!a.ok()) {
    check::AddOnce(verdict.notes, "the other engine was not asked: " + a.status().message());
    return a.status();
  }
  const StatusOr<Results>& b = after_->OtherResult(set, /*whatever_it_takes=*/true);
  if (!b.ok()) return check::Of(options.after_name, b.status());
  check::AddOnce(verdict.engines, std::string("reference"));
  Comparison bits = check::CompareOnAll(*a, *b, {.exact = true}, {});
  if (bits.agree) return OkStatus();
  const std::string reason = Format("a rewrite that should be exact changed bits: {} (by the reference engine)",
                                    bits.ToString(options.before_name, options.after_name));
  ResultDifference d = DifferenceOf(check::Between::kExactModules, set, &*a, &*b, std::move(bits));
  d.by_other = true;
  JudgeDifference(std::move(d), verdict, Outcome::kDisagree, reason);
  return OkStatus();
}

Status Checker::Impl::AskOther(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  if (options.other_engine_work <= 0) return OkStatus();
  const StatusOr<Results>& a = before_->OtherResult(set);
  if (!a.ok()) {
    check::AddOnce(verdict.notes, "the other engine was not asked: " + a.status().message());
    return OkStatus();
  }
  const StatusOr<Results>& b = after_->OtherResult(set);
  if (!b.ok()) return OkStatus();
  const std::string other = check::OtherIsReference(context_) ? "reference" : "fast";
  check::AddOnce(verdict.engines, other);
  Comparison modules = check::Judge(*a, *before_, *b, *after_, set, options.exact);
  if (!modules.agree) {
    const std::string reason =
        Format("{}{} (by the {} engine)", options.exact ? "a rewrite that should be exact changed bits: " : "",
               modules.ToString(options.before_name, options.after_name), other);
    const auto between = options.exact ? check::Between::kExactModules : check::Between::kModules;
    ResultDifference d = DifferenceOf(between, set, &*a, &*b, std::move(modules));
    d.by_other = true;
    JudgeDifference(std::move(d), verdict, Outcome::kDisagree, reason);
    return OkStatus();
  }
  // Where many are equal, rounding decides which comes first.
  if (check::IsForCoverage(context_.inputs[set].kind)) return OkStatus();
  // Of `after` only what was not seen with `before`.
  if (EnginesAgree(*before_, set, verdict) && verdict.comparison.differing() > 0) EnginesAgree(*after_, set, verdict);
  return OkStatus();
}

Status Checker::Impl::JudgeSet(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  const StatusOr<Results>& a = before_->Result(set);
  if (!a.ok()) return made_up_ && check::IsForCoverage(context_.inputs[set].kind) ? OkStatus() : a.status();
  const StatusOr<Results>& b = after_->Result(set);
  if (b.ok()) return JudgeResults(set, *a, *b, verdict);
  if (b.status().code() == StatusCode::kDeadlineExceeded) {
    // `before` may end long before that.
    check::Context fewer{options, context_.counts, {context_.inputs[set]}};
    fewer.options.runner.max_steps /= check::thresholds::kMuchLonger;
    ModuleUnderTest quick(before_->module(), fewer);
    if (quick.Result(0).ok()) {
      Blame(verdict, Outcome::kDisagree,
            Format("{} does not finish within {} steps, {} within a {}th of that", options.after_name,
                   options.runner.max_steps, options.before_name, check::thresholds::kMuchLonger));
      return OkStatus();
    }
  }
  return check::Of(options.after_name, b.status());
}

Status Checker::Impl::JudgeResults(size_t set, const Results& a, const Results& b, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  if (verdict.engines.empty()) verdict.engines.push_back(before_->engine());
  const bool by_reference = check::TestsReference(context_), exact = options.exact && by_reference;
  Comparison comparison = check::Judge(a, *before_, b, *after_, set, exact);
  const bool agree = comparison.agree, same_bits = comparison.differing() == 0;
  ++verdict.input_sets;
  verdict.differing += comparison.differing();
  verdict.largest_relative = std::max(verdict.largest_relative, comparison.max_relative());
  totals_.resize(std::max(totals_.size(), comparison.leaves.size()));
  undetermined_.assign(comparison.leaves.size(), false);
  for (size_t k = 0; k < comparison.leaves.size(); ++k) {
    totals_[k].where = comparison.leaves[k].where;
    totals_[k].total += comparison.leaves[k].total;
    totals_[k].finite += comparison.leaves[k].finite;
  }
  std::vector<bool> has_number, is_zero;
  for (const Literal& device : a) {
    for (const Literal* leaf : device.Leaves()) {
      has_number.push_back(check::HasNumber(*leaf));
      is_zero.push_back(check::IsZero(*leaf));
    }
  }
  Comparison kept = std::exchange(verdict.comparison, std::move(comparison));
  verdict.input_set = set;
  if (options.exact && !by_reference && !same_bits) HLOIR_RETURN_IF_ERROR(JudgeBits(set, verdict));
  if (verdict.agrees() && !agree) {
    ResultDifference d =
        DifferenceOf(exact ? check::Between::kExactModules : check::Between::kModules, set, &a, &b, verdict.comparison);
    const std::string seen = d.ToString();
    JudgeDifference(std::move(d), verdict, Outcome::kDisagree, seen);
    if (verdict.outcome == Outcome::kDisagree && DifferenceOf(check::Between::kModules, set, &a, &b, {}).OthersAgree())
      Blame(verdict, Outcome::kEnginesDisagree,
            Format("{} (by {}); by the other engine the two agree", seen, before_->engine()));
  } else if (verdict.agrees()) {
    HLOIR_RETURN_IF_ERROR(AskOther(set, verdict));
  }
  if (verdict.agrees() && agree && !verdict.proof.holds) JudgeMeaning(set, verdict);
  // Sums of several devices are added up in an order that no rounding was moved in.
  if (verdict.agrees() && !verdict.proof.holds && context_.inputs[set].kind == InputKind::kPlain &&
      context_.counts.devices() <= 1)
    JudgeAccuracy(set, verdict);
  if (!verdict.agrees()) return OkStatus();
  for (size_t k = 0; k < std::min(totals_.size(), has_number.size()); ++k)
    totals_[k].Add(has_number[k], is_zero[k], undetermined_[k]);
  if (set != 0) verdict.comparison = std::move(kept), verdict.input_set = 0;
  return OkStatus();
}

void Checker::Impl::JudgeStored(Verdict& verdict) {
  if (check::HasUnknownCalls(before_->module())) {
    verdict.notes.push_back("not compared with the stored results, which have the values of these custom-calls");
    return;
  }
  const Literal stored = Literal::Tuple(context_.options.stored);
  const ModuleRunner runner = [&](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
    RunnerOptions options = context_.options.runner;
    options.devices = {};
    StatusOr<Runner> prepared = Runner::Prepare(module, options);
    return prepared.ok() ? prepared->RunOnAll(arguments) : StatusOr<Results>(prepared.status());
  };
  verdict.stored =
      CompareWithStored(before_->module(), (*before_->Result(0))[0], stored, context_.ArgumentsOf(0)[0], runner);
  if (verdict.stored->agree || !verdict.agrees()) return;
  Blame(verdict, Outcome::kNotAsStored,
        "the results are not the stored ones: " + verdict.stored->ToString(context_.options.before_name, "stored"));
}

void Checker::Impl::JudgeMadeUpCalls(const std::string& note, Verdict& verdict) {
  verdict.notes.push_back(note);
  if (verdict.outcome != Outcome::kDisagree && verdict.outcome != Outcome::kLessAccurate) return;
  const std::string why = check::UnknownCallsDifference(before_->module(), after_->module(),
                                                        context_.options.before_name, context_.options.after_name);
  if (!why.empty()) Blame(verdict, Outcome::kUnspecified, Format("{}; {}", verdict.reason, why));
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
  if (!before_view_ && !partitioned) return CheckAsTheyAre(after);
  const HloModule& whole = check::WholeOf(*before_text_, after);
  if (partitioned) context_.options.exact = false;  // partitioned sums are added up in another order
  for (InputSet& set : context_.inputs) set.devices.resize(std::min<size_t>(set.devices.size(), 1));
  if (!before_view_) {
    HLOIR_ASSIGN_OR_RETURN(before_view_, check::MakeWholeView(*before_text_, whole));
    before_ = std::make_shared<ModuleUnderTest>(*before_view_, context_);
    uses_.reset();
  }
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> view, check::MakeWholeView(after, whole));
  meaning_.reset();
  after_.reset();
  after_view_ = std::move(view);
  return CheckAsTheyAre(*after_view_);
}

Status Checker::Impl::JudgeAll(bool proof_is_enough, Verdict& verdict) {
  if (made_up_ && !verdict.proof.counterexample.empty() && verdict.devices == 1) {
    context_.inputs.push_back({.devices = {verdict.proof.counterexample}});
    HLOIR_RETURN_IF_ERROR(JudgeSet(context_.inputs.size() - 1, verdict));
    if (verdict.agrees()) before_->Forget(context_.inputs.size() - 1), context_.inputs.pop_back();
  }
  for (InputSet& set : steps_.inputs) {
    context_.inputs.push_back(std::move(set));
    if (verdict.agrees()) HLOIR_RETURN_IF_ERROR(JudgeSet(context_.inputs.size() - 1, verdict));
    if (verdict.agrees()) before_->Forget(context_.inputs.size() - 1), context_.inputs.pop_back();
  }
  // What is proved, and what one module means, needs no further sets.
  const bool no_more = verdict.proof.holds || after_ == before_;
  const size_t sets = proof_is_enough && made_up_ ? 1 : no_more ? whole_sets_ : context_.inputs.size();
  // What is the same over the reals may be less accurate, and is run where that shows.
  constexpr size_t kSetsForAccuracy = 26;  // twice all kinds of AddMeaningSets
  const auto tells_accuracy = [](InputKind kind) {
    return kind == InputKind::kFar || kind == InputKind::kWide || kind == InputKind::kPositive ||
           kind == InputKind::kDominant;
  };
  const bool over_reals = proved_.all() && !verdict.proof.holds && context_.options.proofs == Proofs::kEnough;
  for (size_t set = 0; set < sets && verdict.agrees(); ++set) {
    const bool whole = set < whole_sets_ || proof_is_enough;
    if (!whole && over_reals && (set >= whole_sets_ + kSetsForAccuracy || !tells_accuracy(context_.inputs[set].kind)))
      continue;
    HLOIR_RETURN_IF_ERROR(whole ? JudgeSet(set, verdict) : JudgeMeaningSet(set, verdict));
    if (!verdict.agrees() && over_reals && !proved_.tested) ExcuseByProof(set, verdict);
  }
  return OkStatus();
}

void Checker::Impl::ExcuseByProof(size_t set, Verdict& verdict) {
  if (verdict.outcome != Outcome::kDisagree || verdict.comparison.leaves.empty()) return;
  const InputKind kind = context_.inputs[set].kind;
  // (What values are given may be NaN too.)
  const bool special =
      kind == InputKind::kCornerCases || kind == InputKind::kSpecials || kind == InputKind::kMixed || !made_up_;
  const bool finite_only = !proved_.finite_only.empty();
  // A condition of the proof may exclude ordinary inputs: the square of rsqrt(y) is 1 / y for positive y alone. A
  // result that becomes NaN on these is a difference.
  const bool ordinary =
      made_up_ && (kind == InputKind::kPlain || kind == InputKind::kPositive || kind == InputKind::kTypical);
  if (ordinary && before_->Result(set).ok() && after_->Result(set).ok() &&
      check::LosesNumbers(*before_->Result(set), *after_->Result(set)))
    return;
  if (!(special && finite_only) && !(check::DiffersInNonfiniteAlone(verdict.comparison) && (finite_only || !special)))
    return;
  for (const LeafDifference& leaf : verdict.comparison.leaves) {
    const bool listed = std::any_of(verdict.finite_only.begin(), verdict.finite_only.end(),
                                    [&](const std::string& other) { return other.starts_with(leaf.where + "["); });
    if (!leaf.agrees && !listed)
      verdict.finite_only.push_back(Format("{}{} is {} ({}) and {} ({})", leaf.where, leaf.element, leaf.a,
                                           context_.options.before_name, leaf.b, context_.options.after_name));
  }
  Blame(verdict, Outcome::kAgree, "");
}

void Checker::Impl::TestOpenSteps(Verdict& verdict) {
  const HloModule &before = before_->module(), &after = after_->module();
  const bool alone = !before_view_ && !UsesDevices(before) && !UsesDevices(after);
  if (proved_.all() || !proved_.proof.counterexample.empty() || exact_ || !alone) return;
  steps_ =
      check::TestSteps(before, after, {context_.options, {}, made_up_ ? std::vector<InputSet>() : context_.inputs});
  verdict.tested_steps = steps_.tested, verdict.different_steps = steps_.different;
  for (const std::string& doubt : steps_.doubtful) verdict.notes.push_back("not confirmed by a run: " + doubt);
  if (steps_.all && steps_.different.empty()) check::TakeTested(steps_, proved_);
  else proved_.steps.tested = static_cast<int64_t>(steps_.tested.size());
}

// A step that differs on values that occur, where nothing else does, tells the modules apart, though rounding may hide
// it behind what follows. If no bit of a result differs, that hides it indeed.
void Checker::Impl::JudgeDifferentSteps(Verdict& verdict) {
  if (steps_.different.empty() || (!verdict.agrees() && verdict.outcome != Outcome::kDisagree)) return;
  std::string all;
  for (const std::string& step : steps_.different) all += (all.empty() ? "" : ", ") + step;
  if (verdict.outcome == Outcome::kDisagree) verdict.notes.push_back("the modules differ only in " + all);
  else if (verdict.differing == 0)
    verdict.notes.push_back(Format("{} differs, but no result does: {}", all, steps_.how));
  else Blame(verdict, Outcome::kDisagree, Format("in {}, and nothing else, they differ: {}", all, steps_.how));
}

void Checker::Impl::ConcludeWithoutRuns(const std::string& why, Verdict& verdict) {
  const HloInstruction& root = *before_->module().entry_computation()->root();
  const std::vector<const Shape*> leaves = root.shape().Leaves();
  verdict.outputs.clear();
  verdict.answer = Answer::kProvedBitwise;
  for (size_t k = 0; k < leaves.size() && k < proved_.outputs.size(); ++k) {
    verdict.outputs.push_back({Format("out{}", k), proved_.outputs[k]});
    verdict.answer = std::max(verdict.answer, proved_.outputs[k]);
  }
  Blame(verdict, verdict.answer == Answer::kProvedBitwise ? Outcome::kSameBits : Outcome::kAgree, "");
  verdict.notes.push_back(
      Format("neither was run ({}){}", why,
             verdict.proof.holds ? "" : ": how accurate they are, and what overflows, is not known"));
}

void Checker::Impl::Conclude(Verdict& verdict) {
  if (verdict.outcome == Outcome::kDisagree && verdict.proof.holds) {
    Blame(verdict, Outcome::kEnginesDisagree,
          Format("{}; but {}: a bug of hloir, in an engine or in the proof", verdict.reason, verdict.proof.how));
  }
  const bool agrees = verdict.agrees();
  const bool proved_all = proved_.all();
  Answer weakest = totals_.empty() && !proved_all ? Answer::kTested : Answer::kProvedBitwise;
  std::string unknown, undetermined;
  for (size_t k = 0; k < totals_.size(); ++k) {
    const LeafTotal& leaf = totals_[k];
    const bool known = leaf.known();
    const bool differs = k < verdict.comparison.leaves.size() && !verdict.comparison.leaves[k].agrees;
    // Each device computes the same outputs, device by device.
    const size_t outputs = proved_.outputs.size();
    const Answer proved = outputs > 0 ? proved_.outputs[k % outputs] : Answer::kNotJudged;
    Answer answer = known ? Answer::kTested : Answer::kNotJudged;
    if (agrees && proved != Answer::kNotJudged) answer = proved;
    else if (differs && verdict.outcome == Outcome::kDisagree) answer = Answer::kDifferent;
    else if (!verdict.different_steps.empty() && verdict.outcome == Outcome::kDisagree) answer = Answer::kDifferent;
    else if (differs && verdict.outcome == Outcome::kLessAccurate) answer = Answer::kLessAccurate;
    else if (differs && !agrees) answer = Answer::kNotJudged;
    if (!known && !leaf.how_undetermined.empty()) verdict.notes.push_back(leaf.how_undetermined);
    else if (!leaf.how_undetermined.empty()) undetermined += (undetermined.empty() ? "" : ", ") + leaf.where;
    if (agrees && leaf.total > 0 && leaf.finite == 0 && !known)
      verdict.notes.push_back(leaf.where + " had no finite number on any input");
    if (answer == Answer::kNotJudged) unknown += (unknown.empty() ? "" : ", ") + leaf.where;
    weakest = std::max(weakest, answer);
    verdict.outputs.push_back({leaf.where, answer});
  }
  if (!undetermined.empty())
    verdict.notes.push_back("ill-conditioned on some of the inputs, which tell nothing of it: " + undetermined);
  if (!agrees) {
    verdict.answer = verdict.outcome == Outcome::kDisagree       ? Answer::kDifferent
                     : verdict.outcome == Outcome::kLessAccurate ? Answer::kLessAccurate
                                                                 : Answer::kNotJudged;
    return;
  }
  const bool any_finite = std::any_of(totals_.begin(), totals_.end(),
                                      [](const LeafTotal& leaf) { return leaf.finite > 0 || leaf.total == 0; });
  if (!any_finite && !proved_all && !totals_.empty()) weakest = Answer::kNotJudged;
  verdict.answer = weakest;
  verdict.outcome = verdict.differing == 0 ? Outcome::kSameBits : Outcome::kAgree;
  if (weakest != Answer::kNotJudged) return;
  if (!any_finite) return Blame(verdict, Outcome::kNothingFinite, "no input gave a finite number in any result");
  Blame(verdict, Outcome::kNothingFinite,
        Format("nothing is known of {}: on all inputs NaN, or decided by rounding errors alone", unknown));
}

Status Checker::Impl::JudgeByRuns(bool proof_is_enough, Verdict& verdict) {
  const HloModule& after = after_->module();
  HLOIR_RETURN_IF_ERROR(Prepare(after, proof_is_enough));
  totals_.clear();
  accuracy_sets_ = 0;
  verdict.devices = context_.counts.devices();
  if (!proof_is_enough) verdict.unreached = unreached_, verdict.reached = reached_;
  const bool pairs = verdict.devices == 1 && check::WantsPairs(before_->module()) && check::WantsPairs(after);
  before_->set_pairs(pairs), after_->set_pairs(pairs);
  meaning_ = std::make_unique<check::MeaningComparer>(*before_, *after_);
  return JudgeAll(proof_is_enough, verdict);
}

StatusOr<Verdict> Checker::Impl::CheckAsTheyAre(const HloModule& after) {
  const CheckOptions& options = context_.options;
  HLOIR_RETURN_IF_ERROR(check::CheckSameInterface(before_->module(), after, options));
  Verdict verdict;
  proved_ = {};
  if (options.proofs != Proofs::kNone)
    proved_ = before_view_ ? check::ProvePartitioned(*before_text_, *after_text_)
                           : check::ProveFirst(before_->module(), after, options.exact);
  after_ = &after == &before_->module() ? before_ : std::make_shared<ModuleUnderTest>(after, context_);
  steps_ = {};
  if (options.proofs != Proofs::kNone) TestOpenSteps(verdict);
  verdict.proof = proved_.proof;
  verdict.assumptions = proved_.assumptions, verdict.finite_only = proved_.finite_only, verdict.steps = proved_.steps;
  verdict.rounds_differently = proved_.rounds_differently;
  const bool proved = proved_.all() && options.proofs == Proofs::kEnough;
  const check::RunSize size = proved && made_up_ ? check::SizeOfRuns(before_->module(), after) : check::RunSize::kSmall;
  const Status judged = size == check::RunSize::kTooLarge
                            ? ResourceExhausted("a run takes too much time or memory")
                            : JudgeByRuns(proved && (verdict.proof.holds || size == check::RunSize::kLarge), verdict);
  const auto name_faults = [&] {
    if (verdict.outcome == Outcome::kDisagree || !verdict.finite_only.empty())
      verdict.faults = check::FindKnownFaults(before_->module(), after);
  };
  if (!judged.ok()) {
    const bool cannot_run =
        judged.code() == StatusCode::kUnimplemented || judged.code() == StatusCode::kResourceExhausted;
    if (!proved || !cannot_run) return judged;
    ConcludeWithoutRuns(judged.message(), verdict);
    name_faults();
    return verdict;
  }
  if (const std::string made_up = check::UnknownCallsNote(before_->module(), after); !made_up.empty())
    JudgeMadeUpCalls(made_up, verdict);
  JudgeDifferentSteps(verdict);
  Conclude(verdict);
  name_faults();
  if (!options.stored.empty() && verdict.devices == 1 && before_->Result(0).ok()) JudgeStored(verdict);
  // Without leaves one of the two did not end.
  if (verdict.outcome == Outcome::kDisagree && options.divergence && !verdict.comparison.leaves.empty()) {
    verdict.divergence = check::FindDivergence(before_->module(), after, context_, verdict.input_set);
  }
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
