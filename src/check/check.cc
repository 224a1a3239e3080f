// The verdict: Check() and Checker. It runs both modules on each set of inputs and judges the results (JudgeSet), asks
// the other engine, and adds what was seen over all sets. When two results agree: judge.h, meaning.h, own_rounding.h
// and tiny.h. Covered by tests/unit/check_test.cc.
#include "hloir/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "check/compare.h"
#include "check/confirm.h"
#include "check/divergence.h"
#include "check/extremes.h"
#include "check/judge.h"
#include "check/left_open.h"
#include "check/meaning.h"
#include "check/own_rounding.h"
#include "check/reach.h"
#include "check/sharded.h"
#include "check/spread.h"
#include "check/subject.h"
#include "check/tiny.h"
#include "run/paired_times.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace check {
namespace {

// Loops: `after` is taken to be endless if it runs more than so many times as long as `before`.
constexpr int64_t kMuchLonger = 16;

// Leaves in which `b` rounds so much more than `a` that it must compute in a narrower type somewhere; as a note each.
std::vector<std::string> CoarserLeaves(const Results& a, Subject& of_a, const Results& b, Subject& of_b, size_t set,
                                       const CheckOptions& options) {
  constexpr double kMuchCoarser = 64;
  std::vector<std::string> notes;
  const Comparison first = CompareOnAll(a, b, {}, {});
  if (first.agree) return notes;  // apart by a few units in the last place
  const Errors errors_a = of_a.ErrorsOf(a, set), errors_b = of_b.ErrorsOf(b, set);
  size_t k = 0;
  for (size_t d = 0; d < errors_a.size(); ++d) {
    for (size_t i = 0; i < errors_a[d].size(); ++i, ++k) {
      const LeafDifference& leaf = first.leaves[k];
      if (leaf.agrees || leaf.max_relative == 0) continue;
      const double few_units = leaf.allowed_relative * leaf.max_absolute / leaf.max_relative;
      if (few_units == 0) continue;  // integers
      const double ratio = errors_b[d][i] / std::max(errors_a[d][i], few_units / 4);
      if (ratio > kMuchCoarser) {
        notes.push_back(Format("{} rounds {:.0f} times as much in {} as in {}", leaf.where, ratio, options.after_name,
                               options.before_name));
      }
    }
  }
  return notes;
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

// Of the two limits of a run, that of steps.
bool IsStepLimit(const Status& status) {
  return status.code() == StatusCode::kResourceExhausted && status.message().find("steps") != std::string::npos;
}

Status Of(const std::string& name, const Status& status) {
  return Status(status.code(), name + ": " + status.message());
}

Timing Summary(std::vector<double> times) {
  // The first run of several touches its memory for the first time.
  if (times.size() > 1) times.erase(times.begin());
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {static_cast<int>(times.size()), at(0.5), at(0.25), at(0.75)};
}

}  // namespace
}  // namespace check

using check::Nonfinite;
using check::Results;
using check::Subject;

class Checker::Impl {
 public:
  Impl(const HloModule& before, std::vector<InputSet> inputs, CheckOptions options)
      : context_{std::move(options), {}, std::move(inputs)}, made_up_(context_.inputs.empty()) {
    before_ = std::make_shared<Subject>(before, context_);
    before_text_ = &before;
  }

  StatusOr<Verdict> Check(const HloModule& after);
  void Advance() {
    meaning_.reset(), tiny_.reset();
    if (!after_) return;
    before_ = std::move(after_);
    before_text_ = after_text_;
    before_view_ = std::move(after_view_);
  }
  const std::vector<InputSet>& inputs() const { return context_.inputs; }

 private:
  StatusOr<Verdict> CheckAsTheyAre(const HloModule& after);
  // Programs on whole arrays have the same inputs on all devices.
  StatusOr<InputSet> MakeSet(uint64_t seed, InputKind kind) const {
    return MakeInputSet(before_->module(), before_view_ ? DeviceCounts() : context_.counts, seed, kind);
  }
  // `few`: one set of made-up inputs will do.
  Status Prepare(const HloModule& after, bool few);
  // Adds inputs to those that are made up, until they reach all that they can in `before`.
  Status FindInputs();
  // Adds what one set of inputs says; `outcome` is then what the verdict would be with this set alone.
  Status JudgeSet(size_t set, Verdict& verdict);
  // Both engines, on one module or the other; called if the engine under test sees no difference.
  Status AskOther(size_t set, Verdict& verdict);
  // One set of inputs, and the reference as the engine under test.
  check::Context ByReference(size_t set) const;
  // Is the engine's result of a module the reference's once denormals among the factors of bf16 products are zeros?
  bool HasFlushedFactors(Subject& subject, size_t set) const;
  // Both have run this module. What overflows on corner cases is only noted.
  // If not, `engines` says in what.
  bool EnginesAgree(Subject& subject, size_t set, Verdict& verdict, Comparison& engines);
  // The engine under test sees a difference: is it the modules'?
  Status ExplainDifference(size_t set, Verdict& verdict);
  // Are the results apart by no more than they round and what the two mean is? For two that agree in what they mean.
  bool AgreeAsMeant(size_t set, const Results& a, const Results& b);
  // Do the two mean the same, and do rounding and what folded constants mean explain what is seen of their results `a`
  // and `b`? What rounding alone does so is noted, or nothing on extra sets.
  bool IsRounding(size_t set, const Results& a, const Results& b, const Comparison& comparison, Verdict& verdict);
  // Do they differ only in NaNs and infinities, in a way that the order of adding decides, and agree without extremes?
  bool OnlyAtExtremes(size_t set, const Comparison& comparison);
  // Which NaNs and infinities are judged that one has alone in f64.
  Nonfinite WhichNonfinite(size_t set) const;
  // Adds sets of inputs on which only what the modules mean is compared: two runs each.
  Status AddMeaningSets(bool ran);
  // A set on which they mean different things is judged like the others.
  Status JudgeMeaningSet(size_t set, Verdict& verdict);
  // What the modules mean, where their results are the same but for rounding.
  void JudgeMeaning(size_t set, Verdict& verdict);
  // Do they agree once zeros and NaN have no sign and denormals are zeros? Then that is all, and is noted.
  void ForgiveTiny(size_t set, Verdict& verdict);
  // Each result in the modules' own types against what its own roundings explain.
  void JudgeOwnRounding(size_t set, Verdict& verdict);
  void Blame(Verdict& verdict, Outcome outcome, std::string reason);
  void JudgeStored(Verdict& verdict);
  // Leaves in which no set gave a finite number.
  std::vector<std::string> SilentLeaves() const;
  Status Measure(Verdict& verdict);

  check::Context context_;
  bool made_up_, prepared_ = false, counted_ = false;
  const HloModule *before_text_ = nullptr, *after_text_ = nullptr;  // as they were given
  std::unique_ptr<HloModule> before_view_, after_view_;             // if they stand for programs on whole arrays
  std::shared_ptr<Subject> before_, after_;
  std::unique_ptr<check::MeaningComparer> meaning_;  // of the two
  std::unique_ptr<check::TinyComparer> tiny_;        // of the two, if it has been asked for
  size_t whole_sets_ = 0;                            // of the inputs; with the others only the meaning is compared
  // By leaf, over the sets of this verdict: name, elements, finite ones.
  struct LeafTotal {
    std::string where;
    int64_t total = 0, finite = 0;
  };
  std::vector<LeafTotal> totals_;
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
      counts = UsesDevices(before) || UsesDevices(after) ? DeviceCountsOf(before) : DeviceCounts();
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
  constexpr uint64_t kMostTries = 32;
  constexpr double kMostSearchWork = 0x1p23;  // a module that takes long is run on few inputs
  const HloModule& before = before_->module();
  const bool watched = context_.options.other_engine_work > 0 && check::OtherIsReference(context_);
  check::Reach reach(before);
  if (watched) before_->set_watch([&](const HloInstruction& i, const Literal& value) { reach.See(i, value); });
  // Loops that inputs of these kinds keep from ending would take all of the steps that there are.
  const bool may_not_end = check::HasLoops(before), undefined = check::IsUndefinedForSome(before);
  bool runs = watched;
  for (size_t set = 0; runs && set < context_.inputs.size(); ++set) runs = before_->OtherResult(set).ok();
  // Positive ones give numbers where others do not: logarithms, roots. Of edges, every other set has no constants.
  const InputKind kinds[] = {InputKind::kEdges, InputKind::kEdges, InputKind::kWide, InputKind::kPositive,
                             undefined ? InputKind::kDominant : InputKind::kPlain};
  const uint64_t tries = before.entry_computation()->parameter_count() > 0 ? kMostTries : 0;
  for (uint64_t k = 0; k < tries; ++k) {
    const InputKind kind = kinds[k % std::size(kinds)];
    if (undefined && check::IsExtra(kind)) continue;
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
  if (!check::IsExtra(inputs.kind)) return Nonfinite::kAlways;
  return check::HasLargeNumbers(inputs) && check::MayLeaveF64(before_->module()) ? Nonfinite::kWorse : Nonfinite::kBoth;
}

Status Checker::Impl::JudgeMeaningSet(size_t set, Verdict& verdict) {
  // Of a NaN in a matrix, or of a singular one, nothing says what a solver makes, but the same solver makes the same.
  const HloModule& before = before_->module();
  if (check::IsExtra(context_.inputs[set].kind) && check::IsUndefinedForSome(before) &&
      !check::SolveAlike(before, after_->module()))
    return OkStatus();
  if (!before_->Ideal(set, /*keep_roundings=*/true).ok() || !after_->Ideal(set, /*keep_roundings=*/true).ok())
    return OkStatus();
  const check::Meaning meaning = meaning_->Compare(set, WhichNonfinite(set), /*notes=*/false);
  return meaning.agree ? OkStatus() : JudgeSet(set, verdict);
}

void Checker::Impl::JudgeMeaning(size_t set, Verdict& verdict) {
  // What overflows on inputs that are extreme, and what does not, is judged by the results as they are.
  const bool corner_cases = context_.inputs[set].kind == InputKind::kCornerCases;
  check::Meaning meaning = meaning_->Compare(set, corner_cases ? Nonfinite::kIgnored : WhichNonfinite(set));
  for (std::string& note : meaning.notes) {
    if (std::find(verdict.notes.begin(), verdict.notes.end(), note) == verdict.notes.end())
      verdict.notes.push_back(std::move(note));
  }
  if (meaning.agree) return;
  Blame(verdict, Outcome::kDisagree, meaning.reason);
  verdict.comparison = std::move(meaning.comparison);
  if (const std::string open = check::LeftOpen(*before_, after_->module(), set, verdict.comparison); !open.empty())
    Blame(verdict, Outcome::kLeftOpen, verdict.reason + "; " + open);
}

void Checker::Impl::JudgeOwnRounding(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  const std::string after = check::BeyondOwnRounding(*after_, set);
  if (after.empty()) return;
  const std::string before = check::BeyondOwnRounding(*before_, set);
  if (before.empty()) {
    Blame(verdict, Outcome::kDisagree, Format("{} of {}", after, options.after_name));
  } else {
    // Nothing that tells the two apart; whether it is the engine's fault, or rounds where nothing was moved, is open.
    verdict.notes.push_back(Format("{} of {} (by {})", before, options.before_name, before_->engine()));
  }
}

void Checker::Impl::ForgiveTiny(size_t set, Verdict& verdict) {
  // An engine of its own says too little: it may be wrong in both.
  if (context_.options.exact || context_.options.other_engine_work <= 0) return;
  if (!tiny_) tiny_ = std::make_unique<check::TinyComparer>(*before_, *after_);
  std::optional<Comparison> agreed = tiny_->Agree(set, WhichNonfinite(set));
  if (!agreed) return;
  const std::string note = "only denormals, or signs of zeros or NaN, make them differ: " + verdict.reason;
  if (std::find(verdict.notes.begin(), verdict.notes.end(), note) == verdict.notes.end()) verdict.notes.push_back(note);
  Blame(verdict, Outcome::kAgree, "");
  verdict.comparison = *std::move(agreed);
}

void Checker::Impl::Blame(Verdict& verdict, Outcome outcome, std::string reason) {
  verdict.outcome = outcome;
  verdict.reason = std::move(reason);
}

bool Checker::Impl::OnlyAtExtremes(size_t set, const Comparison& comparison) {
  if (!check::DiffersInNonfiniteAlone(comparison)) return false;
  if (check::IsExtra(context_.inputs[set].kind)) return meaning_->Compare(set, WhichNonfinite(set)).agree;
  if (context_.inputs[set].kind != InputKind::kCornerCases) return false;
  // f64 has exponents for what overflows, but not for exponentials of anything.
  const bool leaves_f64 = check::HasLargeNumbers(context_.inputs[set]) && check::MayLeaveF64(before_->module());
  const check::Meaning meaning = meaning_->Compare(set, leaves_f64 ? Nonfinite::kWorse : Nonfinite::kAlways);
  if (meaning.judged && meaning.agree) return true;
  // Where a convolution is cut, what was padding may be multiplied as zeros.
  const bool cut = before_view_ != nullptr && check::HasAny(before_->module(), {HloOpcode::kConvolution});
  const bool whole_arrays = cut || check::HasWholeArrayMathematics(before_->module());
  // Than f64 no type has more exponents, double-double neither.
  if (!whole_arrays && !check::HasDoubles(before_->module())) return false;
  const std::optional<check::Context> tame =
      check::WithoutExtremes(context_, set, before_->module(), /*all_finite=*/whole_arrays);
  if (!tame) return false;
  Subject before(before_->module(), *tame), after(after_->module(), *tame);
  const StatusOr<Results>&x = before.Result(0), &y = after.Result(0);
  return x.ok() && y.ok() && check::Judge(*x, before, *y, after, 0, /*exact=*/false).agree &&
         check::MeaningComparer(before, after).Compare(0, Nonfinite::kAlways).agree;
}

bool Checker::Impl::AgreeAsMeant(size_t set, const Results& a, const Results& b) {
  const StatusOr<Results>&x = before_->Ideal(set, /*keep_roundings=*/true),
        &y = after_->Ideal(set, /*keep_roundings=*/true);
  if (!x.ok() || !y.ok()) return false;
  // An engine that gives the same for both, be it wrong, has made the two agree in what they mean.
  if (check::CompareOnAll(*before_->Result(set), *after_->Result(set), {.exact = true}, {}).agree) return false;
  check::Errors meant(x->size());
  check::ForEachLeaf(*x, *y, [&](size_t d, size_t leaf, const Literal& p, const Literal& q) {
    if (meant[d].size() <= leaf) meant[d].resize(leaf + 1, 0);
    if (check::IsExact(p.shape().element_type())) return;
    check::ForEachDifference(p, q, before_->pairs(), [&](size_t, double distance, double) {
      if (std::isfinite(distance)) meant[d][leaf] = std::max(meant[d][leaf], distance);
    });
  });
  // Of f64 double-double tells what each has rounded.
  for (size_t d = 0; before_->pairs() && d < meant.size(); ++d) {
    const std::vector<double> of_a = check::MeasureErrors(a[d], &(*x)[d]), of_b = check::MeasureErrors(b[d], &(*y)[d]);
    for (size_t i = 0; i < meant[d].size(); ++i) meant[d][i] += 2 * (of_a[i] + of_b[i]);
  }
  return check::Judge(a, *before_, b, *after_, set, context_.options.exact, meant).agree;
}

bool Checker::Impl::IsRounding(size_t set, const Results& a, const Results& b, const Comparison& comparison,
                               Verdict& verdict) {
  // Where rounding alone does as much, what the modules mean decides; and where many elements are equal, as rounding
  // decides there who comes first.
  const check::Meaning meaning = meaning_->Compare(set, WhichNonfinite(set));
  if (!meaning.judged || !meaning.agree) return false;
  if (check::IsExtra(context_.inputs[set].kind) || AgreeAsMeant(set, a, b)) return true;
  const std::string chaos = check::MovedByRoundingAlone(*before_, context_.options.before_name, set, comparison);
  if (chaos.empty()) return false;
  verdict.notes.push_back(Format("{}; in {} the two agree", chaos, before_->wide_name()));
  return true;
}

Status Checker::Impl::ExplainDifference(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  const std::string seen = verdict.comparison.ToString(options.before_name, options.after_name);
  if (OnlyAtExtremes(set, verdict.comparison)) {
    verdict.notes.push_back("at extremes of the number format, " + seen);
    return OkStatus();
  }
  if (IsRounding(set, *before_->Result(set), *after_->Result(set), verdict.comparison, verdict)) return OkStatus();
  const bool extra = check::IsExtra(context_.inputs[set].kind);
  Blame(verdict, Outcome::kDisagree, seen);
  if (options.other_engine_work <= 0) return OkStatus();
  const StatusOr<Results>&a = before_->OtherResult(set), &b = after_->OtherResult(set);
  if (!a.ok() || !b.ok()) return OkStatus();
  if (check::Judge(*a, *before_, *b, *after_, set, options.exact).agree) {
    if (extra) {
      Blame(verdict, Outcome::kAgree, "");
      return OkStatus();
    }
    if (const std::optional<check::Context> tame = check::WithoutExtremes(context_, set, before_->module())) {
      Subject before(before_->module(), *tame), after(after_->module(), *tame);
      const StatusOr<Results>&x = before.Result(0), &y = after.Result(0);
      if (x.ok() && y.ok() && check::Judge(*x, before, *y, after, 0, /*exact=*/false).agree) {
        verdict.notes.push_back("at extremes of the number format, " + seen);
        Blame(verdict, Outcome::kAgree, "");
        return OkStatus();
      }
    }
    const auto is_explained = [&](Subject& subject) {
      return subject.CompareWithReference(*subject.Result(set), set).agree || HasFlushedFactors(subject, set);
    };
    if (check::OtherIsReference(context_) && is_explained(*before_) && is_explained(*after_)) {
      verdict.notes.push_back("denormals are zeros in the engine's products of bf16: " + seen);
      Blame(verdict, Outcome::kAgree, "");
      return OkStatus();
    }
    Blame(verdict, Outcome::kEnginesDisagree,
          Format("{} (by {}); by the other engine the two agree", seen, before_->engine()));
  }
  if (const std::string open = check::LeftOpen(*before_, after_->module(), set, verdict.comparison); !open.empty())
    Blame(verdict, Outcome::kLeftOpen, seen + "; " + open);
  return OkStatus();
}

check::Context Checker::Impl::ByReference(size_t set) const {
  check::Context context{context_.options, context_.counts, {context_.inputs[set]}};
  context.options.engine = nullptr;
  context.options.runner.engine = Engine::kReference;
  return context;
}

bool Checker::Impl::HasFlushedFactors(Subject& subject, size_t set) const {
  const std::unique_ptr<HloModule> flushed = check::FlushFactors(subject.module());
  if (!flushed) return false;
  const check::Context by_reference = ByReference(set);
  Subject without(*flushed, by_reference);
  return without.Result(0).ok() && without.CompareWithReference(*subject.FastResult(set), 0).agree;
}

bool Checker::Impl::EnginesAgree(Subject& subject, size_t set, Verdict& verdict, Comparison& engines) {
  const std::string other_name = check::TestsReference(context_) ? "the other" : subject.engine();
  const auto compare = [&](Subject& one, size_t which) {
    return one.CompareWithReference(*one.FastResult(which), which);
  };
  engines = compare(subject, set);
  if (engines.agree) return true;
  if (const std::optional<check::Context> tame = check::WithoutExtremes(context_, set, before_->module())) {
    Subject without(subject.module(), *tame);
    if (without.Result(0).ok() && without.OtherResult(0).ok()) {
      const Comparison again = compare(without, 0);
      if (again.agree) {
        verdict.notes.push_back("at extremes of the number format, " + engines.ToString("reference", other_name));
        return true;
      }
      engines = again;
    }
  }
  const std::string& name = &subject == before_.get() ? context_.options.before_name : context_.options.after_name;
  const std::string seen = engines.ToString("reference", other_name);
  // By the reference alone, so that what is wrong in the other engine is not evidence.
  const check::Context by_reference = ByReference(set);
  Subject alone(subject.module(), by_reference);
  if (HasFlushedFactors(subject, set)) {
    verdict.notes.push_back("denormals are zeros in the other engine's products of bf16: " + seen);
    return true;
  }
  if (const StatusOr<Results>& ideal = alone.Ideal(0, /*keep_roundings=*/false);
      ideal.ok() && check::DiffersInNonfiniteAlone(engines)) {
    Results other = *subject.FastResult(set);
    for (size_t d = 0; d < other.size(); ++d)
      check::EqualizeOverflows(other[d], (*subject.ReferenceResult(set))[d], (*ideal)[d]);
    if (subject.CompareWithReference(other, set).agree) {
      verdict.notes.push_back("where numbers overflow, " + seen);
      return true;
    }
  }
  if (const std::string chaos = check::MovedByRoundingAlone(alone, name, 0, engines); !chaos.empty()) {
    verdict.notes.push_back(chaos + "; by two engines, " + seen);
    return true;
  }
  Blame(verdict, Outcome::kEnginesDisagree, Format("two engines disagree about {}: {}", name, seen));
  return false;
}

Status Checker::Impl::AskOther(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  // If rewrites that claim to be exact have changed bits (the engine may order sums as the graph's form suggests), only
  // the other engine can tell.
  const bool must = options.exact && verdict.comparison.differing() > 0 && !check::TestsReference(context_);
  if (options.other_engine_work <= 0 && !must) return OkStatus();
  const StatusOr<Results>& a = before_->OtherResult(set, must);
  if (!a.ok()) {
    const std::string note = "the other engine was not asked: " + a.status().message();
    if (std::find(verdict.notes.begin(), verdict.notes.end(), note) == verdict.notes.end())
      verdict.notes.push_back(note);
    return must ? a.status() : OkStatus();
  }
  const StatusOr<Results>& b = after_->OtherResult(set, must);
  if (!b.ok()) return must ? check::Of(options.after_name, b.status()) : OkStatus();
  const std::string other = check::OtherIsReference(context_) ? "reference" : "fast";
  if (std::find(verdict.engines.begin(), verdict.engines.end(), other) == verdict.engines.end())
    verdict.engines.push_back(other);

  const Comparison modules = check::Judge(*a, *before_, *b, *after_, set, options.exact);
  Comparison seen;
  if (!modules.agree && OnlyAtExtremes(set, modules)) {
    verdict.notes.push_back("at extremes of the number format, " +
                            modules.ToString(options.before_name, options.after_name));
    return OkStatus();
  }
  if (!modules.agree && !options.exact && IsRounding(set, *a, *b, modules, verdict)) return OkStatus();
  if (!modules.agree) {
    Blame(verdict, Outcome::kDisagree,
          Format("{}{} (by the {} engine)", options.exact ? "a rewrite that should be exact changed bits: " : "",
                 modules.ToString(options.before_name, options.after_name), other));
    seen = verdict.comparison = modules;
  } else {
    // Where many are equal, rounding decides who comes first.
    if (check::IsExtra(context_.inputs[set].kind)) return OkStatus();
    // Of `after` only what was not seen with `before`.
    const bool both = verdict.comparison.differing() > 0;
    if (EnginesAgree(*before_, set, verdict, seen) && (!both || EnginesAgree(*after_, set, verdict, seen)))
      return OkStatus();
  }
  const Results& result = modules.agree ? *before_->FastResult(set) : *b;
  if (const std::string open = check::LeftOpen(*before_, after_->module(), set, seen, &result); !open.empty())
    Blame(verdict, Outcome::kLeftOpen, verdict.reason + "; " + open);
  return OkStatus();
}

Status Checker::Impl::JudgeSet(size_t set, Verdict& verdict) {
  const CheckOptions& options = context_.options;
  const StatusOr<Results>& a = before_->Result(set);
  if (!a.ok()) return made_up_ && check::IsExtra(context_.inputs[set].kind) ? OkStatus() : a.status();
  const StatusOr<Results>& b = after_->Result(set);
  if (!b.ok() && check::IsStepLimit(b.status())) {
    // Does `before` end long before that?
    check::Context fewer{options, context_.counts, {context_.inputs[set]}};
    fewer.options.runner.max_steps /= check::kMuchLonger;
    Subject quick(before_->module(), fewer);
    if (quick.Result(0).ok()) {
      Blame(verdict, Outcome::kDisagree,
            Format("{} does not finish within {} steps, {} within a {}th of that", options.after_name,
                   options.runner.max_steps, options.before_name, check::kMuchLonger));
      return OkStatus();
    }
  }
  if (!b.ok()) return check::Of(options.after_name, b.status());
  if (verdict.engines.empty()) verdict.engines.push_back(before_->engine());

  const bool exact = options.exact && check::TestsReference(context_);
  Comparison comparison = check::Judge(*a, *before_, *b, *after_, set, exact);
  verdict.differing += comparison.differing();
  verdict.largest_relative = std::max(verdict.largest_relative, comparison.max_relative());
  totals_.resize(std::max(totals_.size(), comparison.leaves.size()));
  for (size_t i = 0; i < comparison.leaves.size(); ++i) {
    totals_[i].where = comparison.leaves[i].where;
    totals_[i].total += comparison.leaves[i].total;
    totals_[i].finite += comparison.leaves[i].finite;
  }
  const bool agree = comparison.agree, first = set == 0;
  if (agree && first) verdict.notes = check::CoarserLeaves(*a, *before_, *b, *after_, set, options);
  Comparison kept = std::exchange(verdict.comparison, std::move(comparison));
  verdict.input_set = set;
  HLOIR_RETURN_IF_ERROR(agree ? AskOther(set, verdict) : ExplainDifference(set, verdict));
  if (verdict.agrees() && agree && !verdict.proof.holds) JudgeMeaning(set, verdict);
  // What devices add up in the others' order is not moved.
  if (verdict.agrees() && agree && !verdict.proof.holds && context_.inputs[set].kind == InputKind::kPlain &&
      context_.counts.devices() <= 1)
    JudgeOwnRounding(set, verdict);
  if (verdict.agrees() && !first) verdict.comparison = std::move(kept), verdict.input_set = 0;
  return OkStatus();
}

std::vector<std::string> Checker::Impl::SilentLeaves() const {
  std::vector<std::string> silent;
  for (const LeafTotal& leaf : totals_) {
    if (leaf.total > 0 && leaf.finite == 0) silent.push_back(leaf.where);
  }
  return silent;
}

void Checker::Impl::JudgeStored(Verdict& verdict) {
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

Status Checker::Impl::Measure(Verdict& verdict) {
  constexpr double kEachMilliseconds = 20;
  constexpr size_t kMaxRuns = 50, kTellingRuns = 9;  // of which the first does not count: see JudgePairs
  std::vector<double> times[2];
  double sums[2] = {0, 0};
  // By turns, so that what else the machine does meets both.
  while (times[0].size() < kMaxRuns &&
         (std::min(sums[0], sums[1]) < kEachMilliseconds || times[0].size() < kTellingRuns) &&
         std::max(sums[0], sums[1]) < 10 * kEachMilliseconds) {
    const int first = static_cast<int>(times[0].size() % 2);
    for (int k : {first, 1 - first}) {
      HLOIR_ASSIGN_OR_RETURN(const double time, (k == 0 ? *before_ : *after_).TimeRun(0));
      times[k].push_back(time);
      sums[k] += time;
    }
  }
  if (times[0].size() > 1)
    verdict.times_differ = JudgePairs(std::span(times[0]).subspan(1), std::span(times[1]).subspan(1)).differ();
  verdict.before = check::Summary(std::move(times[0]));
  verdict.after = check::Summary(std::move(times[1]));
  return OkStatus();
}

StatusOr<Verdict> Checker::Impl::Check(const HloModule& after) {
  after_text_ = &after;
  if (!before_view_ && !check::AreOfWholeArrays(*before_text_, after)) return CheckAsTheyAre(after);
  const HloModule& whole = check::WholeOf(*before_text_, after);
  context_.options.exact = false;  // what is partitioned is added up in another order
  for (InputSet& set : context_.inputs) set.devices.resize(std::min<size_t>(set.devices.size(), 1));
  if (!before_view_) {
    HLOIR_ASSIGN_OR_RETURN(before_view_, check::MakeWholeView(*before_text_, whole));
    before_ = std::make_shared<Subject>(*before_view_, context_);
  }
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> view, check::MakeWholeView(after, whole));
  meaning_.reset();
  after_.reset();
  after_view_ = std::move(view);
  return CheckAsTheyAre(*after_view_);
}

StatusOr<Verdict> Checker::Impl::CheckAsTheyAre(const HloModule& after) {
  const CheckOptions& options = context_.options;
  HLOIR_RETURN_IF_ERROR(check::CheckSameInterface(before_->module(), after, options));
  Verdict verdict;
  // Proofs know nothing of devices.
  if (options.proofs != Proofs::kNone && !before_view_) {
    ProveOptions prove;
    prove.confirm = check::ConfirmDifference;
    verdict.proof = Prove(before_->module(), after, prove);
  }
  const bool enough = verdict.proof.holds && options.proofs == Proofs::kEnough;
  HLOIR_RETURN_IF_ERROR(Prepare(after, enough));
  after_ = &after == &before_->module() ? before_ : std::make_shared<Subject>(after, context_);
  totals_.clear();
  verdict.devices = context_.counts.devices();
  if (!enough) verdict.unreached = unreached_, verdict.reached = reached_;
  const bool pairs = verdict.devices == 1 && check::WantsPairs(before_->module()) && check::WantsPairs(after);
  before_->set_pairs(pairs), after_->set_pairs(pairs);
  meaning_ = std::make_unique<check::MeaningComparer>(*before_, *after_);
  tiny_.reset();
  if (made_up_ && !verdict.proof.counterexample.empty() && verdict.devices == 1) {
    context_.inputs.push_back({.devices = {verdict.proof.counterexample}});
    HLOIR_RETURN_IF_ERROR(JudgeSet(context_.inputs.size() - 1, verdict));
    if (verdict.agrees()) before_->Forget(context_.inputs.size() - 1), context_.inputs.pop_back();
  }
  // What is proved, and what one module means, needs no further sets.
  const bool no_more = verdict.proof.holds || after_ == before_;
  const size_t sets = enough && made_up_ ? 1 : no_more ? whole_sets_ : context_.inputs.size();
  for (size_t set = 0; set < sets && verdict.agrees(); ++set) {
    HLOIR_RETURN_IF_ERROR(set < whole_sets_ || enough ? JudgeSet(set, verdict) : JudgeMeaningSet(set, verdict));
    if (verdict.outcome == Outcome::kDisagree) ForgiveTiny(set, verdict);
  }
  if (verdict.outcome == Outcome::kDisagree && verdict.proof.holds) {
    Blame(verdict, Outcome::kEnginesDisagree,
          Format("{}; but {}: a bug of hloir, in an engine or in the proof", verdict.reason, verdict.proof.how));
  }
  if (verdict.agrees()) {
    verdict.outcome = verdict.differing == 0 ? Outcome::kSameBits : Outcome::kAgree;
    const std::vector<std::string> silent = SilentLeaves();
    const bool any_values =
        std::any_of(totals_.begin(), totals_.end(), [](const LeafTotal& leaf) { return leaf.finite > 0; });
    if (!silent.empty() && !any_values && !verdict.proof.holds) {
      Blame(verdict, Outcome::kNothingFinite, "no input gave a finite number in any result");
    } else {
      for (const std::string& leaf : silent) verdict.notes.push_back(leaf + " had no finite number on any input");
    }
  }
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
