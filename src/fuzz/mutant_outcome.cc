// OutcomeOf(): see mutants.h. Decides whether an undetected mutant is equivalent: compares on other inputs, in f64 and
// in the modules' own types, by the fast engine alone; modules in f64 in double-double. Covered by
// tests/unit/mutants_test.cc.
#include <algorithm>
#include <cmath>
#include <complex>

#include "check/compare.h"
#include "check/module_under_test.h"
#include "fuzz/mutants.h"
#include "hloir/runner.h"
#include "check/widen.h"
#include "hloir/verifier.h"

namespace hloir {
namespace fuzz {
namespace {

using check::Arguments;
using check::Context;
using check::Distance;
using check::Measure;
using check::ModuleUnderTest;
using check::Results;

// If nothing is widened, the two differ in the order of operations at most, which is a few units of f64.
constexpr double kSameInF64 = 0x1p-36, kSameInPairs = 0x1p-65;

enum class Difference { kNone, kNonfinite, kFinite };

// True if an element of one leaf differs from the other's by more than the change that perturbed roundings of f64
// cause. An element that is a number or not depending on rounding does not count.
Difference Differs(const Literal& a, const Literal& b, const Literal& moved, bool pairs) {
  constexpr double kMoreThanRounding = 16;
  const Distance all = Measure(a, b);
  if (all.differing == 0) return Difference::kNone;
  Difference found = Difference::kNone;
  const bool exact = !IsFloat(a.shape().element_type()) && !IsComplex(a.shape().element_type());
  const double relative = pairs ? kSameInPairs : kSameInF64;
  const double noise = relative * relative * all.largest;
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
    if (distance > relative * std::max(check::IsFinite(x) ? std::abs(x) : 0, check::IsFinite(y) ? std::abs(y) : 0) &&
        distance > noise && distance > kMoreThanRounding * moved_by)
      return Difference::kFinite;
  }
  return found;
}

Difference Differs(const std::vector<Literal>& a, const std::vector<Literal>& b, const std::vector<Literal>& moved,
                   bool pairs) {
  Difference found = Difference::kNone;
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    const std::vector<const Literal*> x = a[d].Leaves(), y = b[d].Leaves(), z = moved[d].Leaves();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (x[i]->shape().IsArray()) found = std::max(found, Differs(*x[i], *y[i], *z[i], pairs));
  }
  return found;
}

// True if the two differ on some inputs. False if they do not run. `pairs`: in double-double, if possible.
StatusOr<bool> ShowsOnOtherInputs(const HloModule& original, const HloModule& mutant, bool pairs) {
  constexpr uint64_t kFirstSeed = 1000, kRounds = 3;
  RunnerOptions options = CheckOptions().runner;
  options.devices = UsesDevices(original) ? DeviceCountsOf(original) : DeviceCounts();
  pairs = pairs && options.devices.devices() == 1;
  HLOIR_ASSIGN_OR_RETURN(Runner own_a, Runner::Prepare(original, options));
  HLOIR_ASSIGN_OR_RETURN(Runner own_b, Runner::Prepare(mutant, options));
  CheckOptions check_options;
  check_options.runner = options;
  Context context{check_options, options.devices, {}};
  context.inputs.resize(1);
  ModuleUnderTest a(original, context), b(mutant, context);
  a.set_pairs(pairs), b.set_pairs(pairs);
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (const InputKind kind :
         {InputKind::kPlain, InputKind::kCornerCases, InputKind::kPositive, InputKind::kEdges, InputKind::kWide,
          InputKind::kMixed, InputKind::kSpecials, InputKind::kDominant, InputKind::kFar, InputKind::kUniform}) {
      StatusOr<InputSet> made = MakeInputSet(original, options.devices, kFirstSeed + round, kind);
      if (!made.ok()) return false;
      context.inputs[0] = *std::move(made);
      a.Forget(0), b.Forget(0);
      const StatusOr<Results>&x = a.Ideal(0, /*keep_roundings=*/true), &y = b.Ideal(0, /*keep_roundings=*/true);
      if (!x.ok() || !y.ok()) {
        if (pairs) return ShowsOnOtherInputs(original, mutant, /*pairs=*/false);
        continue;
      }
      if (Differs(*x, *y, *x, pairs) == Difference::kNone) continue;
      // A difference larger than that of the same module with perturbed roundings.
      const auto z = a.IdealMoved(0, /*keep_roundings=*/true, /*pattern=*/11, /*exact_too=*/true);
      const Difference difference = z.ok() ? Differs(*x, *y, *z, pairs) : Difference::kNone;
      if (difference == Difference::kFinite) return true;
      if (difference == Difference::kNone) continue;
      // Modules that overflow in their own types, and not in f64, must differ there.
      const Arguments arguments = context.ArgumentsOf(0);
      const auto own_x = own_a.RunOnAll(arguments), own_y = own_b.RunOnAll(arguments);
      if (own_x.ok() && own_y.ok() && Differs(*own_x, *own_y, *own_x, false) != Difference::kNone) return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace fuzz

StatusOr<MutantOutcome> OutcomeOf(const HloModule& original, const Mutant& mutant, Checker& checker) {
  HLOIR_ASSIGN_OR_RETURN(const Verdict verdict, checker.Check(*mutant.module));
  if (verdict.outcome == Outcome::kDisagree) return MutantOutcome::kCaught;
  if (!verdict.agrees()) return MutantOutcome::kNotJudged;
  const StatusOr<bool> shows = fuzz::ShowsOnOtherInputs(
      original, *mutant.module, check::WantsPairs(original) && check::WantsPairs(*mutant.module));
  return shows.ok() && *shows ? MutantOutcome::kGotAway : MutantOutcome::kSame;
}

}  // namespace hloir
