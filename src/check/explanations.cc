// See explanations.h. Testing `applies` needs no run. Rows with the outcome kAgree come before rows with kUnspecified,
// except denormals and signs, whose runs are the most expensive. Covered by tests/unit/explanations_test.cc.
#include "check/explanations.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "check/accuracy.h"
#include "check/compare.h"
#include "check/error_bound.h"
#include "check/extremes.h"
#include "check/judge.h"
#include "check/prove_first.h"
#include "check/thresholds.h"
#include "check/unspecified.h"
#include "support/format.h"

namespace hloir::check {
namespace {

constexpr unsigned kModules = static_cast<unsigned>(Between::kModules),
                   kEngines = static_cast<unsigned>(Between::kEngines), kWide = static_cast<unsigned>(Between::kWide),
                   kWideModules = static_cast<unsigned>(Between::kWideModules),
                   kExactModules = static_cast<unsigned>(Between::kExactModules);
using Evidence = std::optional<std::string>;

bool IsCoverageSet(const ResultDifference& d) { return IsForCoverage(d.before.InputsOf(d.set).kind); }

// One set of inputs, with the reference as the engine under test, so that a bug of the other engine is no evidence.
Context ByReference(const ResultDifference& d) {
  const Context& all = d.before.context();
  Context context{all.options, all.counts, {all.inputs[d.set]}};
  context.options.engine = nullptr;
  context.options.runner.engine = Engine::kReference;
  return context;
}

bool AgreeInOwnTypes(ModuleUnderTest& before, ModuleUnderTest& after) {
  const StatusOr<Results>&a = before.Result(0), &b = after.Result(0);
  return a.ok() && b.ok() && Judge(*a, before, *b, after, 0, /*exact=*/false).agree;
}

// Returns whether the proof has `holds` for each output that differs. Each device has all outputs.
template <class F>
bool AllDifferingOutputs(const ResultDifference& d, F holds) {
  if (d.proved == nullptr || d.proved->outputs.empty()) return false;
  for (size_t k = 0; k < d.seen.leaves.size(); ++k)
    if (!d.seen.leaves[k].agrees && !holds(k % d.proved->outputs.size())) return false;
  return true;
}

// Returns whether the outputs that differ are floats that are proved to differ by rounding alone.
bool AreEqualButForRounding(const ResultDifference& d) {
  return AllDifferingOutputs(
      d, [&](size_t k) { return k < d.proved->but_for_rounding.size() && d.proved->but_for_rounding[k]; });
}

// ---- Extremes ----

bool HasExtremes(const ResultDifference& d) {
  return IsCoverageSet(d) || d.before.InputsOf(d.set).kind == InputKind::kCornerCases;
}

// Accepts if the modules agree in wide arithmetic, whose exponents have a larger range.
Evidence OverflowAtExtremes(ResultDifference& d) {
  const Evidence evidence = "at extremes of the number format, " + d.ToString();
  if (IsCoverageSet(d)) return d.meaning->Compare(d.set, d.nonfinite).agree ? evidence : std::nullopt;
  const HloModule &before = d.before.module(), &after = d.after.module();
  // Exponentials may overflow in wide arithmetic too.
  const bool leaves_f64 = HasLargeNumbers(d.before.InputsOf(d.set)) && MayLeaveF64(before);
  const Meaning meaning = d.meaning->Compare(d.set, leaves_f64 ? Nonfinite::kWorse : Nonfinite::kAlways);
  if (meaning.judged && meaning.agree) return evidence;
  // A partitioned convolution may multiply its padding as zeros.
  const bool cut = d.whole_arrays && HasAny(before, {HloOpcode::kConvolution});
  const bool whole_arrays = cut || HasWholeArrayOps(before);
  // No type, not even double-double, has a larger exponent range than f64.
  if (!whole_arrays && !HasDoubles(before)) return std::nullopt;
  const auto tame = WithoutExtremes(d.before.context(), d.set, before, /*all_finite=*/whole_arrays);
  if (!tame) return std::nullopt;
  ModuleUnderTest x(before, *tame), y(after, *tame);
  const bool agree = AgreeInOwnTypes(x, y) && MeaningComparer(x, y).Compare(0, Nonfinite::kAlways).agree;
  return agree ? evidence : std::nullopt;
}

// Accepts if only one engine shows a difference, and only at extremes.
Evidence EngineExtremes(ResultDifference& d) {
  const auto tame = WithoutExtremes(d.before.context(), d.set, d.before.module());
  if (!tame) return std::nullopt;
  const std::string evidence = "at extremes of the number format, " + d.ToString();
  ModuleUnderTest x(d.before.module(), *tame), y(d.after.module(), *tame);
  if (d.between == Between::kModules) return AgreeInOwnTypes(x, y) ? Evidence(evidence) : std::nullopt;
  if (!x.Result(0).ok() || !x.OtherResult(0).ok()) return std::nullopt;
  return x.CompareWithReference(*x.FastResult(0), 0).agree ? Evidence(evidence) : std::nullopt;
}

// ---- Rounding ----

// Returns whether the results differ by no more than their rounding errors and the distance of the modules in wide
// arithmetic.
bool AgreeWithWideDistance(const ResultDifference& d) {
  const StatusOr<Results>&x = d.before.Ideal(d.set, /*keep_roundings=*/true),
        &y = d.after.Ideal(d.set, /*keep_roundings=*/true);
  if (!x.ok() || !y.ok()) return false;
  // Equal results of a wrong engine are no evidence for the modules.
  if (CompareOnAll(*d.before.Result(d.set), *d.after.Result(d.set), {.exact = true}, {}).agree) return false;
  Errors apart(x->size());
  ForEachLeaf(*x, *y, [&](size_t device, size_t leaf, const Literal& p, const Literal& q) {
    if (apart[device].size() <= leaf) apart[device].resize(leaf + 1, 0);
    if (IsExact(p.shape().element_type())) return;
    ForEachDifference(p, q, d.before.pairs(), [&](size_t, double distance, double) {
      if (std::isfinite(distance)) apart[device][leaf] = std::max(apart[device][leaf], distance);
    });
  });
  // For f64 modules, a result's error is its distance from the double-double result.
  for (size_t k = 0; d.before.pairs() && k < apart.size(); ++k) {
    const std::vector<double> of_a = MeasureErrors((*d.a)[k], &(*x)[k]), of_b = MeasureErrors((*d.b)[k], &(*y)[k]);
    for (size_t i = 0; i < apart[k].size(); ++i) apart[k][i] += 2 * (of_a[i] + of_b[i]);
  }
  return Judge(*d.a, d.before, *d.b, d.after, d.set, d.options().exact, apart).agree;
}

bool AgreeInWideArithmetic(const ResultDifference& d) {
  const Meaning meaning = d.meaning->Compare(d.set, d.nonfinite);
  return meaning.judged && meaning.agree;
}

// Sets for coverage have many equal elements, whose order rounding decides.
Evidence Rounding(ResultDifference& d) {
  return AgreeInWideArithmetic(d) && (IsCoverageSet(d) || AgreeWithWideDistance(d)) ? Evidence("") : std::nullopt;
}

// Returns whether the results are no further apart than a multiple of the first module's distance from its wide
// results.
bool AreWithinOwnError(const ResultDifference& d) {
  const StatusOr<Results>& wide = d.before.Ideal(d.set, /*keep_roundings=*/true);
  if (!wide.ok() || (d.a == nullptr && !d.before.Result(d.set).ok())) return false;
  const Results& own = d.a != nullptr ? *d.a : *d.before.Result(d.set);
  size_t k = 0;
  for (size_t device = 0; device < std::min(own.size(), wide->size()); ++device) {
    for (const double error : MeasureErrors(own[device], &(*wide)[device])) {
      if (k >= d.seen.leaves.size()) return false;
      const LeafDifference& leaf = d.seen.leaves[k++];
      if (!leaf.agrees &&
          (!leaf.comparable || leaf.nonfinite > 0 || leaf.max_absolute > thresholds::kAccuracyMargin * error))
        return false;
    }
  }
  return true;
}

// Of two modules, the results agree in wide arithmetic, or are proved equal over the reals. The proof excuses wide
// results too: they round as well, and a residual at the level of rounding may end a loop of one module early.
Evidence IllConditioned(ResultDifference& d) {
  if (d.between == Between::kEngines) {
    const Context by_reference = ByReference(d);
    ModuleUnderTest alone(d.before.module(), by_reference);
    const std::string moved = MovedByRoundingAlone(alone, d.module_name, 0, d.seen);
    return moved.empty() ? std::nullopt : Evidence(moved + "; by two engines, " + d.ToString());
  }
  const bool proved = AreEqualButForRounding(d);
  if (!proved && (d.between == Between::kWideModules || !AgreeInWideArithmetic(d))) return std::nullopt;
  std::string moved = MovedByRoundingAlone(d.before, d.options().before_name, d.set, d.seen, proved);
  if (moved.empty() && proved && AreWithinOwnError(d))
    moved = Format("{} is as far from its results in {}", d.options().before_name, d.before.wide_name());
  if (moved.empty()) return std::nullopt;
  return proved ? moved + "; the modules are proved to compute the same function of real numbers"
                : Format("{}; in {} the modules agree", moved, d.before.wide_name());
}

// Accepts if the modules agree without the roundings to narrower types that only the second has, and these lose digits,
// but not all.
Evidence NarrowerSteps(ResultDifference& d) {
  const Meaning meaning = d.meaning->Compare(d.set, d.nonfinite);
  if (meaning.narrows.empty()) return std::nullopt;
  // Numbers of an ordinary size are to stay finite.
  const InputKind kind = d.before.InputsOf(d.set).kind;
  const bool may_overflow = kind != InputKind::kPlain && kind != InputKind::kPositive && kind != InputKind::kTypical;
  std::optional<std::string> loss = LossOf(d, may_overflow);
  return !loss || loss->empty() ? std::move(loss) : Evidence(meaning.narrows + *loss);
}

// ---- Proofs ----

bool AreProvedOverReals(const ResultDifference& d) {
  return AllDifferingOutputs(d, [&](size_t k) {
    return d.proved->outputs[k] == Answer::kProvedReals || d.proved->outputs[k] == Answer::kProvedAssuming;
  });
}

// Accepts numbers that only one module loses. A proof's assumption may exclude ordinary inputs: the square of rsqrt(y)
// is 1 / y only for positive y. If a result becomes NaN on ordinary inputs, the modules differ.
Evidence ProvedWhereFinite(ResultDifference& d) {
  const InputKind kind = d.before.InputsOf(d.set).kind;
  // Given values may be NaN.
  const bool special =
      kind == InputKind::kCornerCases || kind == InputKind::kSpecials || kind == InputKind::kMixed || !d.generated;
  const bool ordinary =
      d.generated && (kind == InputKind::kPlain || kind == InputKind::kPositive || kind == InputKind::kTypical);
  const StatusOr<Results>&a = d.before.Result(d.set), &b = d.after.Result(d.set);
  if (d.OthersAgree()) return std::nullopt;
  if (ordinary && a.ok() && b.ok() && LosesNumbers(*a, *b)) return std::nullopt;
  const bool finite_only = !d.proved->finite_only.empty();
  const bool excused = (special && finite_only) || (DiffersInNonfiniteAlone(d.seen) && (finite_only || !special));
  return excused ? Evidence("") : std::nullopt;
}

// ---- Behaviour of engines ----

bool MayFlushFactors(const ResultDifference& d) {
  const bool of_engine =
      d.between == Between::kEngines || (!IsCoverageSet(d) && OtherIsReference(d.before.context()) && d.OthersAgree());
  return of_engine && (FlushFactors(d.before.module()) || FlushFactors(d.after.module()));
}

// Returns whether the engine's result equals the reference's after flushing the denormal factors of bf16 products.
bool HasFlushedFactors(const ResultDifference& d, ModuleUnderTest& subject) {
  const std::unique_ptr<HloModule> flushed = FlushFactors(subject.module());
  if (!flushed) return false;
  const Context by_reference = ByReference(d);
  ModuleUnderTest without(*flushed, by_reference);
  return without.Result(0).ok() && without.CompareWithReference(*subject.FastResult(d.set), 0).agree;
}

Evidence FlushedFactors(ResultDifference& d) {
  const auto explained = [&](ModuleUnderTest& subject) {
    return (d.between == Between::kModules && subject.CompareWithReference(*subject.Result(d.set), d.set).agree) ||
           HasFlushedFactors(d, subject);
  };
  if (!explained(d.before) || (&d.after != &d.before && !explained(d.after))) return std::nullopt;
  return "an engine flushes denormals in bf16 products: " + d.ToString();
}

// ---- Unspecified by HLO ----

bool MayBeUnspecified(const ResultDifference& d) { return d.options().other_engine_work > 0 || d.by_other; }

template <std::string (*find)(ResultDifference&)>
Evidence Unspecified(ResultDifference& d) {
  std::string reason = find(d);
  return reason.empty() ? std::nullopt : Evidence(std::move(reason));
}

// ---- Denormals, signs of zeros and NaN ----

// An engine of the caller is not sufficient, since it may be wrong in both modules.
bool MayDropSigns(const ResultDifference& d) {
  return !d.options().exact && d.options().other_engine_work > 0 && !d.OthersAgree();
}

// Accepts if the modules agree by both engines and in wide arithmetic after removing the signs of zeros and NaN
// (`denormals`: and flushing denormals).
template <bool denormals>
Evidence WithoutSigns(ResultDifference& d) {
  // A folded zero may have had either sign, so each mode chooses the signs differently.
  for (const FlushMode mode : {FlushMode::kPlus, FlushMode::kPlusIfComputed, FlushMode::kMinusIfRounded}) {
    const std::unique_ptr<HloModule> modules[] = {FlushSigns(d.before.module(), mode, denormals),
                                                  FlushSigns(d.after.module(), mode, denormals)};
    ModuleUnderTest before(*modules[0], d.before.context()), after(*modules[1], d.after.context());
    before.set_pairs(d.before.pairs()), after.set_pairs(d.after.pairs());
    const auto agree = [&](const StatusOr<Results>& a, const StatusOr<Results>& b) {
      return a.ok() && b.ok() && Judge(*a, before, *b, after, d.set, /*exact=*/false).agree;
    };
    if (!before.Result(d.set).ok() || !after.Result(d.set).ok()) return std::nullopt;
    const auto mean_the_same = [&] {
      const Meaning meaning = MeaningComparer(before, after).Compare(d.set, d.nonfinite);
      return meaning.agree && (meaning.judged || d.between != Between::kWideModules);
    };
    if (agree(before.Result(d.set), after.Result(d.set)) && mean_the_same() &&
        agree(before.OtherResult(d.set), after.OtherResult(d.set)))
      return (denormals ? "the modules differ only in denormals, or in the signs of zeros or NaN: "
                        : "the modules differ only in the signs of zeros or NaN: ") +
             d.ToString();
  }
  return std::nullopt;
}

// ---- In wide arithmetic ----

template <bool (MeaningComparer::*agree)()>
Evidence InWide(ResultDifference& d) {
  return (d.meaning->*agree)() ? Evidence("") : std::nullopt;
}

bool Always(const ResultDifference&) { return true; }

constexpr Explanation kExplanations[] = {
    {"folded-constants",
     "a constant that only the second module has, or a factor of 1 that it leaves out, may be a rounded result of the "
     "first's constants",
     kWide, Outcome::kAgree, Always, InWide<&MeaningComparer::AgreeWithConstantsMoved>, 20},
    {"constant-folding", "the modules agree if constants are folded in neither, or in both", kWide, Outcome::kAgree,
     Always, InWide<&MeaningComparer::AgreeFoldedAlike>, 40},
    {"excess-precision", "the second module omits roundings to narrower types inside a computation", kWide,
     Outcome::kAgree, [](const ResultDifference& d) { return d.meaning->agree_without_roundings(); },
     InWide<&MeaningComparer::AgreeWithExcessPrecision>, 8},
    {"constant-steps", "the second module lacks steps on constants that the first rounds one by one", kWide,
     Outcome::kAgree, [](const ResultDifference& d) { return !d.meaning->agree_without_roundings(); },
     InWide<&MeaningComparer::AgreeWithConstantStepsMoved>, 9},
    {"overflow-at-extremes", "elements overflow in only one result, and the modules agree in wide arithmetic", kModules,
     Outcome::kAgree, [](const ResultDifference& d) { return HasExtremes(d) && DiffersInNonfiniteAlone(d.seen); },
     OverflowAtExtremes, 6, /*finite_only=*/true},
    {"rounding", "the modules agree in wide arithmetic, and the difference is within their rounding errors", kModules,
     Outcome::kAgree, [](const ResultDifference& d) { return d.meaning != nullptr; }, Rounding, 2},
    {"engine-extremes", "the results differ on only one engine, and only for extremes in the inputs",
     kModules | kEngines, Outcome::kAgree,
     [](const ResultDifference& d) {
       return HasExtremes(d) && (d.between == Between::kEngines || (!IsCoverageSet(d) && d.OthersAgree()));
     },
     EngineExtremes, 4},
    {"bf16-denormal-flush", "the engine treats denormal factors of bf16 products as zeros", kModules | kEngines,
     Outcome::kAgree, MayFlushFactors, FlushedFactors, 2},
    {"ill-conditioned", "perturbing each result by a unit in the last place changes the output by as much",
     kModules | kEngines | kWideModules, Outcome::kAgree, Always, IllConditioned, 8},
    {"narrower-steps", "the second module rounds to a narrower type where the first does not", kModules | kWideModules,
     Outcome::kLessAccurate, [](const ResultDifference& d) { return d.meaning != nullptr; }, NarrowerSteps, 10},
    {"proved-where-finite", "the outputs are proved equal where they are finite, and only one is",
     kModules | kWideModules, Outcome::kAgree, AreProvedOverReals, ProvedWhereFinite, 0, /*finite_only=*/true},
    {"unspecified-rng", "HLO does not specify the numbers of rng", kModules | kEngines | kWideModules | kExactModules,
     Outcome::kUnspecified, MayBeUnspecified, Unspecified<UnspecifiedRng>, 0},
    {"unspecified-formula", "HLO does not specify the result of a solver outside its domain, or a batch norm's formula",
     kModules | kEngines | kWideModules, Outcome::kUnspecified, MayBeUnspecified, Unspecified<UnspecifiedFormula>, 16},
    {"unspecified-order", "HLO does not specify the order and grouping of a reduction",
     kModules | kEngines | kWideModules, Outcome::kUnspecified, MayBeUnspecified, Unspecified<UnspecifiedOrder>, 16},
    {"signed-zero", "XLA replaces x + 0 by x, and the sign of a NaN depends on the processor", kModules | kWideModules,
     Outcome::kAgree, MayDropSigns, WithoutSigns<false>, 12},
    {"denormal-flush", "XLA's code runs with denormals flushed to zero", kModules | kWideModules, Outcome::kAgree,
     MayDropSigns, WithoutSigns<true>, 12},
};

}  // namespace

std::string ResultDifference::ToString() const {
  if (between != Between::kEngines) return seen.ToString(options().before_name, options().after_name);
  return seen.ToString("reference", TestsReference(before.context()) ? "the other" : before.engine());
}

bool ResultDifference::OthersAgree() const {
  if (by_other || between != Between::kModules || options().other_engine_work <= 0) return false;
  const StatusOr<Results>&x = before.OtherResult(set), &y = after.OtherResult(set);
  return x.ok() && y.ok() && Judge(*x, before, *y, after, set, options().exact).agree;
}

std::span<const Explanation> Explanations() { return kExplanations; }

namespace {

Explained TryRows(ResultDifference& d, bool unspecified_alone) {
  for (const Explanation& row : kExplanations) {
    if ((row.between & static_cast<unsigned>(d.between)) == 0 || !row.applies(d)) continue;
    if (unspecified_alone && row.outcome != Outcome::kUnspecified) continue;
    if (std::optional<std::string> evidence = row.check(d)) return {&row, *std::move(evidence)};
  }
  return {};
}

}  // namespace

Explained Explain(ResultDifference& d) { return TryRows(d, /*unspecified_alone=*/false); }
Explained ExplainAsUnspecified(ResultDifference& d) { return TryRows(d, /*unspecified_alone=*/true); }

}  // namespace hloir::check
