// See set_judge.h.
#include "check/set_judge.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "check/accuracy.h"
#include "check/compare.h"
#include "check/explanations.h"
#include "check/extremes.h"
#include "check/judge.h"
#include "check/outcome.h"
#include "check/sources.h"
#include "check/thresholds.h"
#include "support/format.h"

namespace hloir::check {
namespace {

Status Named(const std::string& name, const Status& status) {
  return Status(status.code(), name + ": " + status.message());
}

std::vector<const Literal*> LeavesOf(const Results& results) {
  std::vector<const Literal*> all;
  for (const Literal& device : results) {
    for (const Literal* leaf : device.Leaves()) all.push_back(leaf);
  }
  return all;
}

}  // namespace

void AddOverflow(const LeafDifference& leaf, const CheckOptions& options, Verdict& verdict) {
  const bool listed = std::any_of(verdict.finite_only.begin(), verdict.finite_only.end(),
                                  [&](const std::string& other) { return other.starts_with(leaf.where + "["); });
  if (leaf.agrees || listed) return;
  verdict.finite_only.push_back(Format("{}{} is {} ({}) and {} ({})", leaf.where, leaf.element, leaf.a,
                                       options.before_name, leaf.b, options.after_name));
}

SetJudge::SetJudge(Context& context, ModuleUnderTest& before, ModuleUnderTest& after, const Proved& proved,
                   bool generated, bool whole_arrays, Verdict& verdict)
    : context_(context),
      options_(context.options),
      before_(before),
      after_(after),
      proved_(proved),
      generated_(generated),
      whole_arrays_(whole_arrays),
      verdict_(verdict),
      meaning_(before, after) {
  meaning_.set_left_out([this](size_t leaf) { return IsLeftOut(leaf); });
}

Status SetJudge::Judge(size_t set) {
  const StatusOr<Results>& a = before_.Result(set);
  if (!a.ok()) return generated_ && IsForCoverage(context_.inputs[set].kind) ? OkStatus() : a.status();
  const StatusOr<Results>& b = after_.Result(set);
  if (b.ok()) return JudgeResults(set, *a, *b);
  if (!context_.EndsAlone(a, b)) return Named(options_.after_name, b.status());
  verdict_.comparison = {}, verdict_.input_set = set;
  SetOutcome(
      verdict_, Outcome::kDisagree,
      Format("{} does not end where {} does: it has not within {} steps, and {} has within {}", options_.after_name,
             options_.before_name, context_.MostSteps(), options_.before_name, context_.first_steps));
  return OkStatus();
}

void SetJudge::Compare(size_t set) {
  const Results &a = *before_.Result(set), &b = *after_.Result(set);
  Record(set, a, b, /*exact=*/false);
  if (verdict_.comparison.agree) return;
  ResultDifference d = DifferenceOf(Between::kModules, set, &a, &b, verdict_.comparison);
  ExplainAll(d, ExplainAsUnspecified, d.ToString());
  if (d.seen.agree) {
    SetOutcome(verdict_, Outcome::kUnspecified, why_unspecified_);
  } else {
    SetOutcome(verdict_, Outcome::kDisagree, d.ToString());
    verdict_.comparison = std::move(d.seen);
  }
  AddEvidence(a);
}

void SetJudge::AddEvidence(const Results& a) {
  const std::vector<const Literal*> leaves = LeavesOf(a);
  const std::vector<LeafDifference>& seen = verdict_.comparison.leaves;
  for (size_t k = 0; k < std::min(outputs_.size(), leaves.size()); ++k) {
    const bool differs = !verdict_.agrees() && (k >= seen.size() || !seen[k].agrees);
    if (!differs) outputs_[k].Add(HasNumber(*leaves[k]), IsZero(*leaves[k]), undetermined_[k]);
  }
}

Explained SetJudge::ExplainAll(ResultDifference& d, Explained (*explain)(ResultDifference&),
                               const std::string& reason) {
  const Comparison seen = d.seen;
  Explained explained = explain(d);
  while (explained.row != nullptr && explained.row->outcome == Outcome::kUnspecified) {
    AddOnce(verdict_.explanations, std::string(explained.row->name));
    if (why_unspecified_.empty()) {
      why_unspecified_ = reason + "; " + explained.evidence;
      unspecified_difference_ = seen;
    }
    if (d.seen.agree) break;
    explained = explain(d);
  }
  outputs_.resize(std::max(outputs_.size(), seen.leaves.size()));
  for (size_t k = 0; k < seen.leaves.size(); ++k)
    if (!seen.leaves[k].agrees && d.seen.leaves[k].agrees) outputs_[k].unspecified = true;
  return explained;
}

void SetJudge::LeaveOutUnspecified(Comparison& comparison) const {
  if (comparison.agree) return;
  comparison.agree = true;
  for (size_t k = 0; k < comparison.leaves.size(); ++k) {
    LeafDifference& leaf = comparison.leaves[k];
    leaf.agrees = leaf.agrees || IsLeftOut(k);
    comparison.agree = comparison.agree && leaf.agrees;
  }
}

void SetJudge::Finish() {
  if (!verdict_.agrees()) return;
  if (!loss_.empty()) {
    SetOutcome(verdict_, Outcome::kLessAccurate, loss_);
    verdict_.comparison = loss_seen_, verdict_.input_set = set_of_loss_;
    return;
  }
  if (why_unspecified_.empty()) return;
  SetOutcome(verdict_, Outcome::kUnspecified, why_unspecified_);
  verdict_.comparison = unspecified_difference_;
}

void SetJudge::Record(size_t set, const Results& a, const Results& b, bool exact) {
  if (verdict_.engines.empty()) verdict_.engines.push_back(before_.engine());
  verdict_.comparison = check::Judge(a, before_, b, after_, set, exact);
  LeaveOutUnspecified(verdict_.comparison);
  verdict_.input_set = set;
  ++verdict_.input_sets;
  const std::vector<LeafDifference>& leaves = verdict_.comparison.leaves;
  verdict_.differing += verdict_.comparison.differing();
  verdict_.largest_relative = std::max(verdict_.largest_relative, verdict_.comparison.max_relative());
  outputs_.resize(std::max(outputs_.size(), leaves.size()));
  undetermined_.assign(leaves.size(), false);
  for (size_t k = 0; k < leaves.size(); ++k) {
    outputs_[k].where = leaves[k].where;
    outputs_[k].total += leaves[k].total;
    outputs_[k].finite += leaves[k].finite;
  }
}

Status SetJudge::JudgeResults(size_t set, const Results& a, const Results& b) {
  const bool by_reference = TestsReference(context_), exact = options_.exact && by_reference;
  Comparison kept = verdict_.comparison;
  Record(set, a, b, exact);
  const bool agree = verdict_.comparison.agree, same_bits = verdict_.comparison.differing() == 0;
  if (options_.exact && !by_reference && !same_bits) HLOIR_RETURN_IF_ERROR(AskOther(set, /*must=*/true));
  if (verdict_.agrees() && !agree) {
    ResultDifference d =
        DifferenceOf(exact ? Between::kExactModules : Between::kModules, set, &a, &b, verdict_.comparison);
    const std::string seen = d.ToString();
    JudgeDifference(std::move(d), Outcome::kDisagree, seen);
    if (verdict_.outcome == Outcome::kDisagree && DifferenceOf(Between::kModules, set, &a, &b, {}).OthersAgree())
      SetOutcome(verdict_, Outcome::kEnginesDisagree,
                 Format("{} (by {}); the other engine's results agree", seen, before_.engine()));
  } else if (verdict_.agrees()) {
    HLOIR_RETURN_IF_ERROR(AskOther(set, /*must=*/false));
  }
  if (verdict_.agrees() && agree && !verdict_.proof.holds) JudgeMeaning(set);
  // Several devices may sum in any order, which is not a rounding of an instruction.
  if (verdict_.agrees() && !verdict_.proof.holds && context_.inputs[set].kind == InputKind::kPlain &&
      context_.counts.devices() <= 1)
    JudgeAccuracy(set);
  AddEvidence(a);
  if (!verdict_.agrees()) return OkStatus();
  if (set != 0) verdict_.comparison = std::move(kept), verdict_.input_set = 0;
  return OkStatus();
}

Status SetJudge::JudgeInWide(size_t set) {
  constexpr int kMostAccuracySets = 4;
  // HLO does not specify a solver's result for NaN or a singular matrix, but the same solver gives the same result.
  const HloModule& before = before_.module();
  const InputKind kind = context_.inputs[set].kind;
  if (IsForCoverage(kind) && IsUndefinedForSome(before) && !HaveSameSolvers(before, after_.module())) return OkStatus();
  if (!before_.Ideal(set, /*keep_roundings=*/true).ok() || !after_.Ideal(set, /*keep_roundings=*/true).ok())
    return OkStatus();
  const Meaning meaning = meaning_.Compare(set, WhichNonfinite(set), /*notes=*/false);
  const bool judges_accuracy = accuracy_sets_ < kMostAccuracySets;
  const bool dropped = !meaning.dropped_rounding.empty() && judges_accuracy;
  accuracy_sets_ += dropped ? 1 : 0;
  const bool loses_alike = !loss_.empty() && !meaning.narrows.empty();  // and agrees otherwise
  if ((!meaning.agree && !loses_alike) || dropped) return Judge(set);
  ++verdict_.input_sets;
  if (!meaning.explanation.empty()) AddOnce(verdict_.explanations, meaning.explanation);
  for (size_t k = 0; k < std::min(outputs_.size(), meaning.has_number.size()); ++k)
    outputs_[k].Add(meaning.has_number[k], meaning.is_zero[k], meaning.undetermined[k]);
  if ((kind == InputKind::kFar || kind == InputKind::kWide) && judges_accuracy) {
    ++accuracy_sets_;
    JudgeAccuracy(set);
  }
  if (!verdict_.agrees()) verdict_.input_set = set;
  return OkStatus();
}

Nonfinite SetJudge::WhichNonfinite(size_t set) const {
  const InputSet& inputs = context_.inputs[set];
  if (!IsForCoverage(inputs.kind)) return Nonfinite::kAlways;
  return HasLargeNumbers(inputs) && MayLeaveF64(before_.module()) ? Nonfinite::kWorse : Nonfinite::kBoth;
}

void SetJudge::UseMeaning(size_t set, Meaning& meaning) {
  for (std::string& note : meaning.notes) AddOnce(verdict_.notes, std::move(note));
  undetermined_.resize(std::max(undetermined_.size(), meaning.undetermined.size()));
  for (size_t k = 0; k < meaning.undetermined.size(); ++k)
    undetermined_[k] = undetermined_[k] || meaning.undetermined[k];
  for (size_t k = 0; k < std::min(outputs_.size(), meaning.how_undetermined.size()); ++k) {
    if (outputs_[k].how_undetermined.empty()) outputs_[k].how_undetermined = meaning.how_undetermined[k];
  }
  if (!meaning.agree) return;
  if (!meaning.explanation.empty()) AddOnce(verdict_.explanations, meaning.explanation);
  if (meaning.dropped_rounding.empty()) return;
  // A few units in the last place are no loss of accuracy.
  Comparison apart = CompareOnAll(*before_.Result(set), *after_.Result(set), {}, {});
  if (apart.agree) return;
  SetOutcome(verdict_, Outcome::kLessAccurate,
             Format("{} omits {}: {}", options_.after_name, meaning.dropped_rounding,
                    apart.ToString(options_.before_name, options_.after_name)));
  verdict_.comparison = std::move(apart);
}

void SetJudge::JudgeMeaning(size_t set) {
  // On corner cases, the results in the modules' own types decide which elements overflow.
  const bool corner_cases = context_.inputs[set].kind == InputKind::kCornerCases;
  Meaning meaning = meaning_.Compare(set, corner_cases ? Nonfinite::kIgnored : WhichNonfinite(set));
  UseMeaning(set, meaning);
  if (meaning.agree) return;
  JudgeDifference(DifferenceOf(Between::kWideModules, set, nullptr, nullptr, meaning.comparison), Outcome::kDisagree,
                  meaning.reason);
}

void SetJudge::JudgeAccuracy(size_t set) {
  if (const std::optional<AccuracyLoss> loss = LosesMore(before_, after_, set)) {
    if (IsLeftOut(loss->element.leaf)) return;
    SetOutcome(verdict_, Outcome::kLessAccurate, loss->ToString(before_));
    verdict_.comparison = OnlyLeaf(CompareOnAll(*before_.Result(set), *after_.Result(set), {}, {}), loss->element.leaf);
    verdict_.comparison.agree = false;
    return;
  }
  const std::optional<Inaccuracy> after = BeyondOwnRounding(after_, set);
  if (!after || IsLeftOut(after->leaf)) return;
  const std::optional<Inaccuracy> before = BeyondOwnRounding(before_, set);
  if (!before)
    return SetOutcome(verdict_, Outcome::kDisagree, Format("in {}, {}", options_.after_name, after->ToString(after_)));
  // Both modules are inaccurate: the engine is wrong, or rounds in a place that MoveRoundings does not perturb.
  verdict_.notes.push_back(
      Format("in {} (by {}), {}", options_.before_name, before_.engine(), before->ToString(before_)));
}

ResultDifference SetJudge::DifferenceOf(Between between, size_t set, const Results* a, const Results* b,
                                        Comparison seen) {
  ResultDifference d{between, set, before_, after_, a, b, std::move(seen), &meaning_, WhichNonfinite(set)};
  d.whole_arrays = whole_arrays_, d.generated = generated_;
  if (options_.proofs == Proofs::kEnough && !verdict_.proof.holds) d.proved = &proved_;
  return d;
}

void SetJudge::JudgeDifference(ResultDifference d, Outcome otherwise, std::string reason) {
  const auto differing = [&] {
    const std::vector<LeafDifference>& leaves = d.seen.leaves;
    return std::count_if(leaves.begin(), leaves.end(), [](const LeafDifference& leaf) { return !leaf.agrees; });
  };
  const auto all = differing();
  const Explained explained = ExplainAll(d, Explain, reason);
  const Comparison& seen = d.seen;  // without what HLO does not specify
  if (explained.row == nullptr) {
    SetOutcome(verdict_, otherwise, differing() < all ? d.ToString() : std::move(reason));
    verdict_.comparison = seen;
    return;
  }
  if (seen.agree) return SetOutcome(verdict_, Outcome::kAgree, "");
  AddOnce(verdict_.explanations, std::string(explained.row->name));
  if (explained.row->outcome == Outcome::kLessAccurate) return AddLoss(d.set, explained.evidence, seen);
  SetOutcome(verdict_, Outcome::kAgree, "");
  if (!explained.evidence.empty()) AddOnce(verdict_.notes, explained.evidence);
  if (explained.row->finite_only)
    for (const LeafDifference& leaf : seen.leaves) AddOverflow(leaf, options_, verdict_);
  if (d.between != Between::kModules) return;
  undetermined_.resize(std::max(undetermined_.size(), seen.leaves.size()));
  for (size_t k = 0; k < seen.leaves.size(); ++k) {
    if (explained.row->name == "ill-conditioned" && !seen.leaves[k].agrees) undetermined_[k] = true;
  }
  // The wide comparison may have found a dropped rounding.
  if (explained.row->name == "rounding" && !d.by_other) {
    Meaning meaning = meaning_.Compare(d.set, d.nonfinite);
    UseMeaning(d.set, meaning);
  }
}

void SetJudge::AddLoss(size_t set, const std::string& how, const Comparison& seen) {
  SetOutcome(verdict_, Outcome::kAgree, "");
  if (how.empty()) return;  // it loses none on this set
  for (size_t k = 0; k < seen.leaves.size(); ++k)
    outputs_[k].less_accurate = outputs_[k].less_accurate || !seen.leaves[k].agrees;
  if (loss_.empty()) loss_ = how, set_of_loss_ = set, loss_seen_ = seen;
}

bool SetJudge::EnginesAgree(ModuleUnderTest& subject, size_t set) {
  Comparison engines = subject.CompareWithReference(*subject.FastResult(set), set);
  LeaveOutUnspecified(engines);
  if (engines.agree) return true;
  ResultDifference d{
      Between::kEngines, set, subject, subject, &*subject.ReferenceResult(set), &*subject.FastResult(set),
      std::move(engines)};
  d.module_name = &subject == &before_ ? options_.before_name : options_.after_name;
  const std::string reason = Format("two engines disagree about {}: {}", d.module_name, d.ToString());
  JudgeDifference(std::move(d), Outcome::kEnginesDisagree, reason);
  return verdict_.agrees();
}

Status SetJudge::AskOther(size_t set, bool must) {
  if (options_.other_engine_work <= 0 && !must) return OkStatus();
  const StatusOr<Results>& a = before_.OtherResult(set, must);
  if (!a.ok()) {
    AddOnce(verdict_.notes, "the other engine was not run: " + a.status().message());
    return must ? a.status() : OkStatus();
  }
  const StatusOr<Results>& b = after_.OtherResult(set, must);
  if (!b.ok()) return must ? Named(options_.after_name, b.status()) : OkStatus();
  const std::string other = OtherIsReference(context_) ? "reference" : "fast";
  AddOnce(verdict_.engines, other);
  Comparison modules = check::Judge(*a, before_, *b, after_, set, options_.exact);
  LeaveOutUnspecified(modules);
  if (!modules.agree) {
    const std::string reason =
        Format("{}{} (by the {} engine)", options_.exact ? "an exact rewrite changed bits: " : "",
               modules.ToString(options_.before_name, options_.after_name), other);
    const auto between = options_.exact ? Between::kExactModules : Between::kModules;
    ResultDifference d = DifferenceOf(between, set, &*a, &*b, std::move(modules));
    d.by_other = true;
    JudgeDifference(std::move(d), Outcome::kDisagree, reason);
    return OkStatus();
  }
  // Sets for coverage have many equal elements, whose order rounding decides.
  if (must || IsForCoverage(context_.inputs[set].kind)) return OkStatus();
  // Equal bits of the two modules need one comparison of the engines.
  if (EnginesAgree(before_, set) && verdict_.comparison.differing() > 0) EnginesAgree(after_, set);
  return OkStatus();
}

}  // namespace hloir::check
