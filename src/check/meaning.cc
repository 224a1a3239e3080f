// See meaning.h. Wide arithmetic rounds too, so elements may differ within a bound. The bound is measured:
// MoveRoundings perturbs each rounded result by some 500 units in the last place, and the bound of an element is the
// largest change. Cancellation and loops that amplify errors increase the bound; an element whose comparison changes
// moves by the full difference. Other legal differences have rows in explanations.cc. Covered by
// tests/unit/meaning_test.cc.
#include "check/meaning.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "check/compare.h"
#include "check/explanations.h"
#include "check/extremes.h"
#include "check/judge.h"
#include "check/narrow_steps.h"
#include "check/rounding.h"
#include "check/thresholds.h"
#include "check/widen.h"
#include "hloir/custom_call.h"
#include "hloir/passes.h"
#include "support/format.h"

namespace hloir::check {
namespace {

const Literal* LeafOf(ModuleUnderTest& subject, size_t set, size_t d, size_t leaf) {
  const StatusOr<Results>& results = subject.Result(set);
  if (!results.ok() || d >= results->size()) return nullptr;
  const std::vector<const Literal*> leaves = (*results)[d].Leaves();
  return leaf < leaves.size() ? leaves[leaf] : nullptr;
}

enum class NumberClass { kFinite, kNan, kPositiveInfinity, kNegativeInfinity };
NumberClass ClassOf(const Literal& literal, size_t i) {
  const PrimitiveType type = literal.shape().element_type();
  if (!IsFloat(type) && !IsComplex(type)) return NumberClass::kFinite;
  const std::complex<double> z = literal.GetAsComplex(static_cast<int64_t>(i));
  if (std::isnan(z.real()) || std::isnan(z.imag())) return NumberClass::kNan;
  if (std::isfinite(z.real()) && std::isfinite(z.imag())) return NumberClass::kFinite;
  return z.real() < 0 ? NumberClass::kNegativeInfinity : NumberClass::kPositiveInfinity;
}

// Returns whether an integer is a limit of its type, as what comes of numbers beyond it is.
bool IsLimit(PrimitiveType type, int64_t value) {
  return (IsInteger(type) && value == Literal::MaxValue(type).GetAsInt64(0)) ||
         (IsSigned(type) && value == Literal::MinValue(type).GetAsInt64(0));
}

// Returns whether the wide results of an element are no evidence: the element overflows or underflows in its own type,
// so both modules lose it (one perhaps while folding constants); or both give the same integer in their own types, and
// only wide arithmetic gives another, or one beside a limit of the type: what is infinite in a narrow type is converted
// to the limit, and may not be infinite in wide arithmetic.
bool IsOutsideOwnType(const Literal& own_a, const Literal& own_b, size_t i, double distance, double magnitude,
                      const Literal& a, const Literal& b) {
  const PrimitiveType type = own_a.shape().element_type();
  const auto index = static_cast<int64_t>(i);
  if (!IsFloat(type) && !IsComplex(type)) {
    const int64_t value = own_a.GetAsInt64(index);
    return value == own_b.GetAsInt64(index) && (value != a.GetAsInt64(index) || IsLimit(type, value));
  }
  const std::complex<double> v = own_a.GetAsComplex(index), w = own_b.GetAsComplex(index);
  // One module has folded the element to the number that the other computes and rounds.
  if (v == w && (v == a.GetAsComplex(index) || v == b.GetAsComplex(index))) return true;
  const auto is_finite = [](std::complex<double> z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
  const PrimitiveType part = IsComplex(type) ? ComplexComponentType(type) : type;
  if (!is_finite(v) && !is_finite(w))
    return !is_finite(a.GetAsComplex(index)) || !is_finite(b.GetAsComplex(index)) ||
           !(magnitude <= LargestFinite(part));
  // If denormals may be flushed, their contribution to a normal number may be missing too.
  const double smallest = SmallestNormal(type);
  if (MayFlushDenormals(part)) return distance < smallest;
  return std::abs(v) < smallest && std::abs(w) < smallest && magnitude < smallest;
}

// Returns whether a NaN or an infinity in only one of the two elements counts.
bool CountsNonfinite(Nonfinite nonfinite, const Literal& x, const Literal& y, const Literal* own_x,
                     const Literal* own_y, size_t i) {
  if (nonfinite == Nonfinite::kAlways) return true;
  if (nonfinite == Nonfinite::kIgnored || own_x == nullptr || own_y == nullptr) return false;
  const NumberClass in_x = ClassOf(x, i), in_y = ClassOf(y, i);
  if (nonfinite == Nonfinite::kWorse && in_x != NumberClass::kFinite) return false;
  return in_x == ClassOf(*own_x, i) && in_y == ClassOf(*own_y, i);
}

// Returns whether integers are made of the bits of narrow floats, whose roundings cannot be left out then: as keys of a
// sort they have ties that wide numbers do not have.
bool ReadsNarrowBits(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (!IsOneOf(i->opcode(), HloOpcode::kBitcast, HloOpcode::kBitcastConvert) || !i->shape().IsArray()) continue;
    const PrimitiveType from = i->operand(0)->shape().element_type();
    if (IsFloat(from) && BitWidth(from) < 32 && IsInteger(i->shape().element_type())) return true;
  }
  return false;
}

// Formats an element. `pairs`: c128 stores double-double.
std::string WideText(const Literal& literal, size_t i, bool pairs) {
  if (!pairs || literal.shape().element_type() != PrimitiveType::C128)
    return ElementText(literal, static_cast<int64_t>(i));
  const std::complex<double> x = literal.GetAsComplex(static_cast<int64_t>(i));
  return x.imag() == 0 ? Format("{}", x.real())
                       : Format("{} {} {:.3g}", x.real(), x.imag() < 0 ? "-" : "+", std::abs(x.imag()));
}

// Returns whether some number is so large or small that its reciprocal or its products have no low part in
// double-double.
bool HasNumbersAtLimits(const Arguments& arguments) {
  constexpr int kMostExponent = 900;
  const auto is_far = [](double x) { return x != 0 && std::isfinite(x) && std::abs(std::ilogb(x)) > kMostExponent; };
  for (const std::vector<const Literal*>& device : arguments) {
    for (const Literal* argument : device) {
      for (const Literal* leaf : argument->Leaves()) {
        const PrimitiveType type = leaf->shape().element_type();
        if (type != PrimitiveType::F64 && type != PrimitiveType::C128) continue;
        for (int64_t i = 0; i < leaf->element_count(); ++i) {
          const std::complex<double> x = leaf->GetAsComplex(i);
          if (is_far(x.real()) || is_far(x.imag())) return true;
        }
      }
    }
  }
  return false;
}

// Expands batch norms, so that each rounding inside can be perturbed. Null if there are none.
std::unique_ptr<HloModule> WithoutBatchNorms(const HloModule& module) {
  const bool any = std::any_of(module.computations().begin(), module.computations().end(), [](const HloComputation* c) {
    return c->MayHave(HloOpcode::kBatchNormTraining) || c->MayHave(HloOpcode::kBatchNormInference) ||
           c->MayHave(HloOpcode::kBatchNormGrad);
  });
  return any ? AfterPasses({"batchnorm-expander"}, module) : nullptr;
}

// The number of calls whose algorithm iterates until the accuracy of its type is reached.
int64_t IterativeCalls(const HloModule& module) {
  int64_t count = 0;
  for (const HloInstruction* i : module.AllInstructions()) count += IsCustomCall(*i, CustomCall::kEigh);
  return count;
}

// Inlines calls and fusions and expands batch norms. `fold`: also folds constants step by step. Null on failure.
std::unique_ptr<HloModule> WithoutCalls(const HloModule& module, bool fold) {
  std::vector<std::string> names = {"defuser",
                                    "call-inliner",
                                    "conditional-simplifier",
                                    "while-loop-simplifier",
                                    "while-loop-unroller",
                                    "tuple-simplifier",
                                    "zero-sized-hlo-elimination",
                                    "batchnorm-expander"};
  if (fold) names.push_back("constant-folding");
  return AfterPasses(names, module);
}
std::unique_ptr<HloModule> Folded(const HloModule& module) {
  constexpr int64_t kMostElements = 1 << 16;
  std::unique_ptr<HloModule> copy = WithoutCalls(module, /*fold=*/true);
  if (copy != nullptr) FoldConstants(*copy, kMostElements);
  return copy;
}

}  // namespace

// Variants of the two modules that are compared instead.
struct MeaningComparer::Variants {
  Variants(ModuleUnderTest& before, ModuleUnderTest& after, std::unique_ptr<HloModule> a, std::unique_ptr<HloModule> b,
           bool fold_scalars)
      : are_made(a != nullptr && b != nullptr),
        first(std::move(a)),
        second(std::move(b)),
        of_first(first ? *first : before.module(), before.context(), fold_scalars),
        of_second(second ? *second : after.module(), before.context(), fold_scalars),
        comparer(of_first, of_second) {
    of_first.set_pairs(before.pairs()), of_second.set_pairs(before.pairs());
  }
  bool are_made;
  std::unique_ptr<HloModule> first, second;
  ModuleUnderTest of_first, of_second;
  MeaningComparer comparer;
};

MeaningComparer::MeaningComparer(ModuleUnderTest& before, ModuleUnderTest& after) : before_(before), after_(after) {
  reads_narrow_bits_ = ReadsNarrowBits(before_.module()) || ReadsNarrowBits(after_.module());
  is_iterative_ = IterativeCalls(before_.module()) != IterativeCalls(after_.module());
  const auto tells = [](const HloModule& module) { return !HasWholeArrayOps(module) && !HasComplexNumbers(module); };
  compares_nonfinite_ = tells(before_.module()) && tells(after_.module());
}
MeaningComparer::~MeaningComparer() = default;

Meaning MeaningComparer::Compare(size_t set, Nonfinite nonfinite, bool notes) {
  set_ = set, nonfinite_ = nonfinite, over_limit_ = OkStatus(), hidden_ = false;
  known_[false].reset(), known_[true].reset();
  at_limits_ = before_.pairs() && HasNumbersAtLimits(before_.ArgumentsOf(set));
  meaning_ = Meaning();
  if (is_iterative_) {
    meaning_.judged = false;
    meaning_.notes.push_back("not compared in f64: an expanded Eigh has the accuracy of its original type");
    return std::move(meaning_);
  }
  const bool agrees = Agree(/*keep=*/true);
  if (!meaning_.judged) return std::move(meaning_);
  RecordLeaves();
  if (notes) NoteIllConditionedLeaves();
  const bool round = before_.HasRoundings() || after_.HasRoundings();
  if (agrees && (!round || reads_narrow_bits_)) return std::move(meaning_);
  seen_ = meaning_.comparison;
  agree_without_roundings_ = round && (agrees || RoundingsShow()) && Agree(/*keep=*/false);
  if (!meaning_.judged || (agrees && agree_without_roundings_)) return std::move(meaning_);
  // A rounding to a narrower type hides a difference of its operand in all elements but those next to a tie.
  hidden_ = agrees;
  if (hidden_) seen_ = meaning_.comparison;
  ResultDifference difference{Between::kWide, set, before_, after_, nullptr, nullptr, seen_, this, nonfinite};
  const Explained explained = Explain(difference);
  meaning_.agree = explained.row != nullptr;
  if (meaning_.agree) {
    meaning_.explanation = explained.row->name;
  } else if (!over_limit_.ok() && !agree_without_roundings_) {
    NotJudged("a variant with other roundings", over_limit_);
    meaning_.agree = true;
  } else {
    meaning_.comparison = seen_;
    if (meaning_.reason.empty())
      Say(Format(hidden_ ? "in {} without roundings to narrower types, which hide it, "
                         : "in {}, where rounding does not hide it, ",
                 before_.wide_name()));
  }
  return std::move(meaning_);
}

void MeaningComparer::NotJudged(const std::string& name, const Status& failed) {
  meaning_.judged = false;
  meaning_.notes.push_back(Format("not compared in f64: {} does not run in f64: {}", name, failed.message()));
}

// A variant that exceeds the memory or time limit is inconclusive.
bool MeaningComparer::HasRun(const StatusOr<Results>& variant) {
  const StatusCode code = variant.status().code();
  if (code == StatusCode::kResourceExhausted || code == StatusCode::kDeadlineExceeded) over_limit_ = variant.status();
  return variant.ok();
}

void MeaningComparer::Say(const std::string& how) {
  meaning_.reason = how + seen_.ToString(before_.options().before_name, after_.options().after_name);
}

// Compares wide results element by element within `bounds_`.
Comparison MeaningComparer::CompareWide(const Results& a, const Results& b) {
  const bool pairs = before_.pairs();
  Comparison all;
  ForEachLeaf(a, b, [&](size_t d, size_t index, const Literal& x, const Literal& y) {
    LeafDifference leaf;
    leaf.where = a.size() > 1 ? Format("device{}.out{}", d, index) : Format("out{}", index);
    leaf.total = x.element_count();
    if (is_left_out_ && is_left_out_(all.leaves.size())) {
      all.leaves.push_back(std::move(leaf));
      return;
    }
    const ErrorBound* bounds =
        d < bounds_.size() && index < bounds_[d].size() && !bounds_[d][index].empty() ? &bounds_[d][index] : nullptr;
    const double largest = bounds != nullptr ? Measure(x, y).largest : 0;
    const double part = bounds != nullptr ? thresholds::kPartOfLeaf * Median(*bounds) : 0;
    const Literal *own_a = nullptr, *own_b = nullptr;
    double worst = 0;
    size_t where = 0;
    ForEachDifference(x, y, pairs, [&](size_t i, double distance, double magnitude) {
      double bound = bounds != nullptr ? (*bounds)[i] + part : 0;
      const bool both_finite = std::isfinite(distance);
      // The perturbed function is not linear over this distance, so the distance is no bound; but the element stayed
      // finite.
      if (both_finite && largest > 0 && bound > thresholds::kNotLinear * largest)
        bound = std::numeric_limits<double>::infinity();
      if (std::isfinite(magnitude)) {
        bound += pairs && !at_limits_ ? thresholds::kWideUnitsOfPairs * magnitude + thresholds::kSmallestOfPairs
                                      : thresholds::kWideUnits * magnitude;
      }
      if (distance <= bound || (!both_finite && nonfinite_ == Nonfinite::kIgnored)) return;
      if (own_a == nullptr) own_a = LeafOf(before_, set_, d, index), own_b = LeafOf(after_, set_, d, index);
      if (!both_finite && !CountsNonfinite(nonfinite_, x, y, own_a, own_b, i)) return;
      // Wide arithmetic confirms the infinity or NaN, so it is no overflow of the element's own type. This does not
      // hold for complex numbers, for double-double (the low part beside an infinity is NaN), and for operations that
      // may multiply an infinity by 0.
      const bool told = !both_finite && compares_nonfinite_ && !pairs && nonfinite_ == Nonfinite::kBoth;
      if (!told && own_a != nullptr && own_b != nullptr &&
          IsOutsideOwnType(*own_a, *own_b, i, distance, magnitude, x, y))
        return;
      ++leaf.differing;
      leaf.nonfinite += !both_finite;
      const double excess = bound > 0 ? distance / bound : std::numeric_limits<double>::infinity();
      if (leaf.differing == 1 || excess > worst) worst = excess, where = i;
      if (both_finite) {
        leaf.max_absolute = std::max(leaf.max_absolute, distance);
        if (magnitude > 0 && distance / magnitude > leaf.max_relative)
          leaf.max_relative = distance / magnitude, leaf.allowed_relative = bound / magnitude;
      }
    });
    if (leaf.differing > 0) {
      leaf.agrees = all.agree = false;
      leaf.element = ElementIndexText(x.shape(), static_cast<int64_t>(where));
      leaf.a = WideText(x, where, pairs), leaf.b = WideText(y, where, pairs);
    }
    all.leaves.push_back(std::move(leaf));
  });
  return all;
}

// Whether roundings to narrower types change a bit of a result on this set. If they change none, results that differ
// with them differ as much without them.
bool MeaningComparer::RoundingsShow() {
  for (ModuleUnderTest* subject : {&before_, &after_}) {
    const StatusOr<Results>&with = subject->Ideal(set_, true), &without = subject->Ideal(set_, false);
    if (!with.ok() || !without.ok() || CompareOnAll(*with, *without, {.exact = true}, {}).differing() > 0) return true;
  }
  return false;
}

bool MeaningComparer::Agree(bool keep) {
  std::optional<Agreement>& known = known_[keep];
  if (!known) {
    const bool agree = FindAgreement(keep);
    known = Agreement{agree, bounds_, meaning_.comparison};
    return agree;
  }
  bounds_ = known->bounds, bounds_keep_ = keep;
  meaning_.comparison = known->comparison;
  return known->agree;
}

bool MeaningComparer::FindAgreement(bool keep) {
  const StatusOr<Results>&a = before_.Ideal(set_, keep), &b = after_.Ideal(set_, keep);
  if ((!a.ok() || !b.ok()) && before_.pairs()) {
    meaning_.notes.push_back(Format("not compared in double-double: {}", (a.ok() ? b : a).status().message()));
    before_.set_pairs(false), after_.set_pairs(false);
    known_[false].reset(), known_[true].reset();
    return FindAgreement(keep);
  }
  if (!a.ok() || !b.ok()) {
    a.ok() ? NotJudged(after_.options().after_name, b.status()) : NotJudged(before_.options().before_name, a.status());
    return true;
  }
  bounds_.clear();
  bounds_keep_ = keep;
  meaning_.comparison = CompareWide(*a, *b);
  ErrorBounds of_before;
  for (ModuleUnderTest* subject : {&before_, &after_}) {
    if (meaning_.comparison.agree) return true;
    if (subject == &after_) of_before = bounds_;
    for (uint64_t pattern = 0; pattern < thresholds::kPatterns && !meaning_.comparison.agree; ++pattern) {
      const StatusOr<Results> moved = subject->IdealMoved(set_, keep, pattern);
      if (!HasRun(moved)) continue;
      Raise(bounds_, *subject->Ideal(set_, keep), *moved, subject->pairs());
      if (subject == &after_) ForgetNewJumps(*a, of_before);
      meaning_.comparison = CompareWide(*a, *b);
    }
  }
  // Opposite perturbations decide a comparison of numbers that are equal up to rounding in both ways, also for elements
  // that all patterns so far happened to move in one direction.
  for (uint64_t pattern = 0; pattern < thresholds::kPatterns && Jumps(of_before, *a); ++pattern) {
    if (meaning_.comparison.agree) break;
    const StatusOr<Results> moved = before_.IdealMoved(set_, keep, pattern | ModuleUnderTest::kOpposite);
    if (!HasRun(moved)) break;
    Raise(bounds_, *a, *moved, before_.pairs());
    Raise(of_before, *a, *moved, before_.pairs());
    ForgiveJumps(*a, of_before);
    meaning_.comparison = CompareWide(*a, *b);
  }
  // Perturbing exact results too reveals divisions by sums whose exact value is 0. A correct rewrite has such places
  // where `before` has them.
  const auto is_nonfinite = [](const LeafDifference& leaf) { return leaf.nonfinite > 0; };
  const bool any = std::any_of(meaning_.comparison.leaves.begin(), meaning_.comparison.leaves.end(), is_nonfinite);
  if (!any || nonfinite_ == Nonfinite::kAlways) return meaning_.comparison.agree;
  const StatusOr<Results> moved = before_.IdealMoved(set_, keep, thresholds::kPatterns, /*exact_too=*/true);
  if (!HasRun(moved)) return meaning_.comparison.agree;
  Raise(bounds_, *a, *moved, before_.pairs());
  meaning_.comparison = CompareWide(*a, *b);
  return meaning_.comparison.agree;
}

// Resets bounds that only a discontinuity of `after` has raised. A correct rewrite is smooth where `before` is; a wrong
// rewrite may differ at isolated points only, such as 1.
void MeaningComparer::ForgetNewJumps(const Results& results, const ErrorBounds& of_before) {
  ForEachLeaf(results, results, [&](size_t d, size_t leaf, const Literal& x, const Literal&) {
    if (d >= of_before.size() || leaf >= of_before[d].size()) return;
    const ErrorBound& before = of_before[d][leaf];
    const double largest = before.empty() ? 0 : Measure(x, x).largest;
    for (size_t i = 0; i < before.size(); ++i) {
      double& bound = bounds_[d][leaf][i];
      if (std::isfinite(bound) && bound > thresholds::kNotLinear * largest &&
          before[i] < thresholds::kIllConditioned * largest)
        bound = before[i];
    }
  });
}

// Returns whether a perturbation moves some element so far that it must have decided a comparison.
bool MeaningComparer::Jumps(const ErrorBounds& bounds, const Results& results) {
  bool jumps = false;
  ForEachLeaf(results, results, [&](size_t d, size_t leaf, const Literal& x, const Literal&) {
    if (jumps || d >= bounds.size() || leaf >= bounds[d].size() || bounds[d][leaf].empty()) return;
    const double largest = Measure(x, x).largest;
    jumps = std::any_of(bounds[d][leaf].begin(), bounds[d][leaf].end(),
                        [&](double bound) { return bound > thresholds::kNotLinear * largest; });
  });
  return jumps;
}

// If rounding decides many elements of a leaf, as in the gradient of a relu whose argument cancels, other patterns
// decide other elements, so the leaf has no information on these inputs.
void MeaningComparer::ForgiveJumps(const Results& results, const ErrorBounds& of_before) {
  ForEachLeaf(results, results, [&](size_t d, size_t leaf, const Literal& x, const Literal&) {
    if (d >= of_before.size() || leaf >= of_before[d].size() || of_before[d][leaf].empty()) return;
    const double largest = Measure(x, x).largest;
    const auto jumps = std::count_if(of_before[d][leaf].begin(), of_before[d][leaf].end(),
                                     [&](double bound) { return bound > thresholds::kNotLinear * largest; });
    if (static_cast<double>(jumps) <= thresholds::kMostJumps * static_cast<double>(x.element_count())) return;
    for (double& bound : bounds_[d][leaf]) bound = std::max(bound, largest);
  });
}

void MeaningComparer::RecordLeaves() {
  const Results& ideal = *before_.Ideal(set_, /*keep_roundings=*/true);
  for (size_t d = 0; d < ideal.size(); ++d) {
    const std::vector<const Literal*> leaves = ideal[d].Leaves();
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Distance distance = leaves[i]->shape().IsArray() ? Measure(*leaves[i], *leaves[i]) : Distance();
      const bool bounded = d < bounds_.size() && i < bounds_[d].size() && leaves[i]->shape().IsArray();
      meaning_.has_number.push_back(HasNumber(*leaves[i]));
      meaning_.is_zero.push_back(leaves[i]->shape().IsArray() && distance.largest == 0 && distance.nonfinite == 0);
      meaning_.undetermined.push_back(bounded && !IsExact(leaves[i]->shape().element_type()) && distance.largest > 0 &&
                                      Median(bounds_[d][i]) > thresholds::kIllConditioned * distance.largest);
    }
  }
}

void MeaningComparer::NoteIllConditionedLeaves() {
  const StatusOr<Results>&ideal = before_.Ideal(set_, /*keep_roundings=*/true), &result = before_.Result(set_);
  if (!result.ok() || &*ideal == &*result) return;
  size_t k = 0;
  for (size_t d = 0; d < ideal->size(); ++d) {
    const std::vector<const Literal*> exact = (*ideal)[d].Leaves(), rounded = (*result)[d].Leaves();
    for (size_t i = 0; i < std::min(exact.size(), rounded.size()); ++i, ++k) {
      if (!exact[i]->shape().IsArray() || IsExact(exact[i]->shape().element_type())) continue;
      const Distance distance = Measure(*exact[i], *rounded[i]);
      const std::string where = ideal->size() > 1 ? Format("device{}.out{}", d, i) : Format("out{}", i);
      if (meaning_.undetermined[k]) {
        meaning_.how_undetermined.resize(meaning_.undetermined.size());
        meaning_.how_undetermined[k] = Format(
            "{} is ill-conditioned: a relative perturbation of 2^{} in each step changes it by {:.2g} of its size",
            where, std::ilogb(before_.move_size()), Median(bounds_[d][i]) / distance.largest);
      } else if (distance.nonfinite == 0 && distance.absolute > 4 * distance.largest) {
        meaning_.notes.push_back(Format("{} is rounding error: it is up to {:.2g}, but in {} up to {:.2g}", where,
                                        distance.absolute, before_.wide_name(), distance.largest));
      }
    }
  }
}

bool MeaningComparer::AgreeWithConstantsMoved() {
  if (!constants_) {
    const auto folded = [](const HloModule& module) {
      std::unique_ptr<HloModule> copy = AfterPasses({"defuser", "call-inliner"}, module);
      if (copy == nullptr) copy = module.Clone();
      FoldScalars(*copy);
      return copy;
    };
    constants_ = FindFoldedConstants(*folded(before_.module()), *folded(after_.module()));
  }
  return AgreeWithMoved(after_, constants_->values) || AgreeWithMoved(before_, constants_->left_out);
}

// Raises the bounds by moving these constants of one of the modules.
bool MeaningComparer::AgreeWithMoved(ModuleUnderTest& subject, const std::unordered_set<double>& values) {
  if (values.empty()) return false;
  const FoldedConstants& folded = *constants_;
  // The perturbations of several constants may cancel.
  const double factor = thresholds::kConstantMargin * (values.size() > 1 ? 1.5 : 1);
  for (const bool keep : {true, false}) {
    if (!keep && !before_.HasRoundings() && !after_.HasRoundings()) break;
    if (bounds_keep_ != keep && Agree(keep)) continue;  // computes the bounds
    ConstantMove move{&values, 0.5 * folded.roundings, folded.of_merged, 0};
    const uint64_t patterns = 2 + (move.are_few() ? values.size() : 0) + thresholds::kPatterns;
    for (; move.pattern < patterns; ++move.pattern) {
      const StatusOr<Results> moved = subject.IdealWithConstants(set_, keep, move);
      if (!HasRun(moved)) return false;
      Raise(bounds_, *subject.Ideal(set_, keep), *moved, subject.pairs(), factor);
      if (CompareWide(*before_.Ideal(set_, keep), *after_.Ideal(set_, keep)).agree) return true;
    }
  }
  return false;
}

bool MeaningComparer::AgreeFoldedAlike() {
  if (!constants_->is_any_new) return false;
  if (!unfolded_) unfolded_ = std::make_unique<Variants>(before_, after_, nullptr, nullptr, /*fold_scalars=*/false);
  if (AgreeAs(*unfolded_)) return true;
  if (!folded_) {
    folded_ = std::make_unique<Variants>(before_, after_, Folded(before_.module()), Folded(after_.module()),
                                         /*fold_scalars=*/true);
  }
  return folded_->are_made && AgreeAs(*folded_);
}

bool MeaningComparer::AgreeAs(Variants& variants) {
  MeaningComparer& other = variants.comparer;
  other.set_ = set_, other.nonfinite_ = nonfinite_, other.at_limits_ = at_limits_, other.meaning_ = Meaning();
  other.over_limit_ = OkStatus();
  other.known_[false].reset(), other.known_[true].reset();
  const auto agree = [&] {
    const bool same = other.Agree(/*keep=*/true) && other.meaning_.judged;
    const bool rounds = variants.of_first.HasRoundings() || variants.of_second.HasRoundings();
    if (same && !(hidden_ && rounds)) return true;
    // Modules that agree without roundings to narrower types differ in these roundings, which this row does not
    // explain.
    if (agree_without_roundings_) return false;
    if (rounds && other.Agree(/*keep=*/false) && other.meaning_.judged) return true;
    return variants.are_made && other.AgreeWithConstantsMoved();
  };
  const bool agreed = agree();
  variants.of_first.DropVariants(), variants.of_second.DropVariants();
  if (!other.over_limit_.ok()) over_limit_ = other.over_limit_;
  return agreed;
}

bool MeaningComparer::AgreeWithExcessPrecision() {
  const std::string how = NarrowsMore(before_, after_, set_, seen_);
  if (!how.empty()) {
    meaning_.narrows = how;
    Say(how);
    return false;
  }
  meaning_.dropped_rounding = DroppedRounding(before_.module(), after_.module(), seen_);
  meaning_.notes.push_back(
      Format("the modules differ in roundings to narrower types, and agree in {} without them", before_.wide_name()));
  return true;
}

bool MeaningComparer::AgreeWithConstantStepsMoved() {
  if (!steps_are_gone_) {
    stepwise_ = WithoutCalls(before_.module(), /*fold=*/false);
    const std::unique_ptr<HloModule> after = WithoutCalls(after_.module(), /*fold=*/false);
    steps_are_gone_ = stepwise_ && after && RoundingsOfConstants(*after) < RoundingsOfConstants(*stepwise_);
  }
  if (!*steps_are_gone_) return false;
  const auto run = [&](const HloModule& module) {
    ModuleUnderTest subject(module, before_.context(), /*fold_scalars=*/false);
    subject.set_pairs(before_.pairs());
    return subject.Ideal(set_, bounds_keep_);
  };
  const StatusOr<Results> steps = run(*stepwise_);
  for (uint64_t pattern = 0; steps.ok() && pattern < thresholds::kMorePatterns; ++pattern) {
    const StatusOr<Results> moved = run(*PerturbModule(*stepwise_, pattern, /*of_constants_alone=*/true));
    if (!HasRun(moved)) return false;
    Raise(bounds_, *steps, *moved, before_.pairs(), thresholds::kConstantMargin);
    if (CompareWide(*before_.Ideal(set_, bounds_keep_), *after_.Ideal(set_, bounds_keep_)).agree) return true;
  }
  return false;
}

std::string MovedByRoundingAlone(ModuleUnderTest& subject, std::string_view name, size_t set, const Comparison& seen,
                                 bool proved) {
  // Perturbed modules do not run by CheckOptions::engine, whose own errors are no effect of a perturbation.
  const StatusOr<Results> results =
      subject.options().engine ? subject.RunTested(subject.module(), set) : subject.Result(set);
  if (!results.ok() || seen.leaves.empty()) return "";
  const std::unique_ptr<HloModule> written_out = WithoutBatchNorms(subject.module());
  const HloModule& module = written_out ? *written_out : subject.module();
  const double margin = proved ? thresholds::kAccuracyMargin : thresholds::kMovedMargin;
  std::vector<double> moved_by(seen.leaves.size(), 0);
  // If an element becomes NaN or infinite, or changes by about the leaf's size, it may do so in another run. No digit
  // is left then, and of modules that are proved equal any number will do.
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<bool> moved_out(seen.leaves.size());
  for (uint64_t pattern = 0; pattern < thresholds::kMorePatterns; ++pattern) {
    const StatusOr<Results> moved = subject.RunTested(*PerturbModule(module, pattern), set);
    if (!moved.ok()) return "";
    size_t k = 0;
    for (size_t d = 0; d < moved->size(); ++d) {
      for (const LeafDifference& leaf : Compare((*results)[d], (*moved)[d], {}, {}).leaves) {
        if (k >= seen.leaves.size()) return "";
        const bool is_lost = leaf.max_relative >= 0.5 || (leaf.nonfinite > 0 && leaf.finite == 0);
        moved_by[k] = std::max(moved_by[k], proved && is_lost ? kInfinite : leaf.max_absolute);
        moved_out[k] = moved_out[k] || leaf.nonfinite > 0 || is_lost;
        ++k;
      }
    }
  }
  std::string evidence;
  for (size_t k = 0; k < seen.leaves.size(); ++k) {
    const LeafDifference& leaf = seen.leaves[k];
    if (leaf.agrees) continue;
    if (!leaf.comparable || (leaf.nonfinite > 0 && !moved_out[k]) || leaf.max_absolute > margin * moved_by[k])
      return "";
    if (!evidence.empty()) continue;
    evidence = leaf.nonfinite > 0 || std::isinf(moved_by[k])
                   ? Format(
                         "{} of {} is ill-conditioned: perturbing each step by a unit in the last place "
                         "makes elements NaN or infinite, or changes them by their size",
                         leaf.where, name)
                   : Format(
                         "{} of {} is ill-conditioned: perturbing each step by a unit in the last place "
                         "changes it by {:.3g}; the difference is {:.3g}",
                         leaf.where, name, moved_by[k], leaf.max_absolute);
  }
  return evidence;
}

std::unique_ptr<HloModule> AfterPasses(const std::vector<std::string>& passes, const HloModule& module) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  PassOptions options;
  options.math = MathMode::kRounding;
  StatusOr<HloPassPipeline> pipeline = MakePipeline(passes, options);
  return pipeline.ok() && pipeline->RunOnce(*copy).ok() ? std::move(copy) : nullptr;
}

}  // namespace hloir::check
