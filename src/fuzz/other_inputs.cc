// CompareOnOtherInputs(): compares in f64 and in the modules' own types, by the fast engine; f64 modules in
// double-double. See other_inputs.h.
#include "fuzz/other_inputs.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <unordered_set>
#include <utility>

#include "check/compare.h"
#include "check/module_under_test.h"
#include "check/widen.h"

namespace hloir::fuzz {
namespace {

using check::Context;
using check::Distance;
using check::IsFinite;
using check::Measure;
using check::ModuleUnderTest;
using check::Results;

// Without widening, results may differ by the order of sums, a few units of f64.
constexpr double kSameInF64 = 0x1p-36, kSameInPairs = 0x1p-65;

enum class Difference { kNone, kNonfinite, kFinite };

// True if an element of two leaves differs by more than the element's own change under perturbed f64 rounding, and by
// more than `flushed`. False if rounding decides whether an element is finite.
Difference Differs(const Literal& a, const Literal& b, const Literal& moved, double flushed, bool pairs,
                   double relative) {
  constexpr double kMoreThanRounding = 16;
  const Distance all = Measure(a, b);
  if (all.differing == 0) return Difference::kNone;
  Difference found = Difference::kNone;
  const bool exact = !IsFloat(a.shape().element_type()) && !IsComplex(a.shape().element_type());
  const double noise = std::max(relative * relative * all.largest, flushed);
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const std::complex<double> x = a.GetAsComplex(i), y = b.GetAsComplex(i), z = moved.GetAsComplex(i);
    if (exact) {
      if (a.GetAsInt64(i) != b.GetAsInt64(i) && a.GetAsInt64(i) == moved.GetAsInt64(i)) return Difference::kFinite;
      continue;
    }
    const auto part = [](double p, double q) {
      return p == q || (std::isnan(p) && std::isnan(q)) ? 0 : std::abs(p - q);
    };
    const auto apart = [&](std::complex<double> p, std::complex<double> q) {
      const double both = std::hypot(part(p.real(), q.real()), part(p.imag(), q.imag()));
      return pairs && std::isfinite(both) ? std::abs((p.real() - q.real()) + (p.imag() - q.imag())) : both;
    };
    const double distance = apart(x, y), moved_by = apart(x, z);
    if (distance == 0 || !std::isfinite(moved_by)) continue;
    if (!std::isfinite(distance)) {
      found = Difference::kNonfinite;
      continue;
    }
    if (distance > relative * std::max(IsFinite(x) ? std::abs(x) : 0, IsFinite(y) ? std::abs(y) : 0) &&
        distance > noise && distance > kMoreThanRounding * moved_by)
      return Difference::kFinite;
  }
  return found;
}

Difference Differs(const std::vector<Literal>& a, const std::vector<Literal>& b, const std::vector<Literal>& moved,
                   const std::vector<double>& flushed, bool pairs, double relative) {
  Difference found = Difference::kNone;
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    const std::vector<const Literal*> x = a[d].Leaves(), y = b[d].Leaves(), z = moved[d].Leaves();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (x[i]->shape().IsArray()) found = std::max(found, Differs(*x[i], *y[i], *z[i], flushed[i], pairs, relative));
  }
  return found;
}

// For each leaf of the module's result, the largest difference that flushing denormals to zero may cause.
std::vector<double> LargestFlushed(const HloModule& module) {
  std::vector<double> all;
  for (const Shape* leaf : module.entry_computation()->root()->shape().Leaves()) {
    const double smallest = check::SmallestNormal(leaf->element_type());  // 0 for integers
    all.push_back(smallest > 0 && check::MayFlushDenormals(leaf->element_type()) ? smallest : 0);
  }
  return all;
}

std::unordered_set<double> ConstantsOf(const HloModule& module) {
  constexpr int64_t kMostElements = 1 << 12;
  std::unordered_set<double> values;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (!i->IsConstant() || !i->shape().IsArray() || !IsFloat(i->shape().element_type()) || i->literal().elided())
      continue;
    for (int64_t k = 0; k < std::min(i->literal().element_count(), kMostElements); ++k)
      values.insert(i->literal().GetAsDouble(k));
  }
  return values;
}

}  // namespace

StatusOr<OtherInputsResult> CompareOnOtherInputs(const HloModule& original, const HloModule& mutant,
                                                 const OtherInputsOptions& how) {
  constexpr uint64_t kFirstSeed = 1000;
  Context context{CheckOptions(), UsesDevices(original) ? DeviceCountsOf(original) : DeviceCounts(), {}, &original};
  const bool pairs = how.pairs && context.counts.devices() == 1;
  const double relative = pairs ? kSameInPairs : kSameInF64;
  const std::unordered_set<double> constants = ConstantsOf(original);
  context.inputs.resize(1);
  ModuleUnderTest a(original, context), b(mutant, context);
  a.set_pairs(pairs), b.set_pairs(pairs);
  std::vector<double> flushed = LargestFlushed(original);
  if (!how.flushes) std::fill(flushed.begin(), flushed.end(), 0);
  const auto differs = [&](const Results& x, const Results& y, const Results& moved) {
    return Differs(x, y, moved, flushed, pairs, relative);
  };
  OtherInputsResult result;
  for (uint64_t round = 0; round < how.rounds; ++round) {
    for (const InputKind kind :
         {InputKind::kPlain, InputKind::kCornerCases, InputKind::kPositive, InputKind::kEdges, InputKind::kWide,
          InputKind::kMixed, InputKind::kSpecials, InputKind::kDominant, InputKind::kFar, InputKind::kUniform}) {
      if (how.finite_only && (kind == InputKind::kCornerCases || kind == InputKind::kSpecials ||
                              kind == InputKind::kMixed || kind == InputKind::kWide))
        continue;
      StatusOr<InputSet> made = MakeInputSet(original, context.counts, kFirstSeed + round, kind);
      if (!made.ok()) return made.status();
      context.inputs[0] = *std::move(made);
      a.Forget(0), b.Forget(0);
      if (!a.Result(0).ok()) continue;
      const StatusOr<Results>&x = a.Ideal(0, how.roundings), &y = b.Ideal(0, how.roundings);
      if (!x.ok() || !y.ok()) {
        if (!pairs) continue;
        OtherInputsOptions in_f64 = how;
        in_f64.pairs = false;
        return CompareOnOtherInputs(original, mutant, in_f64);
      }
      ++result.sets;
      if (differs(*x, *y, *x) == Difference::kNone) continue;
      // By more than the same module with perturbed roundings, or with constants changed by a unit.
      const auto z = how.constants ? a.IdealWithConstants(0, how.roundings, {&constants, 1, /*pattern=*/11})
                                   : a.IdealMoved(0, how.roundings, /*pattern=*/11, /*exact_too=*/true);
      const Difference difference = z.ok() ? differs(*x, *y, *z) : Difference::kNone;
      result.differ = difference == Difference::kFinite;
      if (result.differ && how.loses_digits) {
        const auto own = b.IdealMoved(0, how.roundings, /*pattern=*/11, /*exact_too=*/true);
        result.differ = own.ok() && differs(*y, *x, *own) == Difference::kFinite;
      }
      if (result.differ) return result;
      if (difference == Difference::kNone || how.finite_only) continue;
      // Elements that overflow in the modules' own types, but not in f64, must differ in f64.
      const StatusOr<Results>&own_x = a.Result(0), &own_y = b.Result(0);
      result.differ = own_y.ok() && Differs(*own_x, *own_y, *own_x, flushed, false, kSameInF64) != Difference::kNone;
      if (result.differ) return result;
    }
  }
  return result;
}

}  // namespace hloir::fuzz
