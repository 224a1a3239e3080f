// FateOf(): see mutants.h. Whether a mutant that got away does any harm is asked of other inputs, in f64 and as it is,
// by the fast engine alone. Covered by tests/unit/mutants_test.cc.
#include <algorithm>
#include <cmath>
#include <complex>

#include "check/compare.h"
#include "check/subject.h"
#include "hloir/check/mutants.h"
#include "hloir/check/runner.h"
#include "hloir/detail/widen.h"
#include "hloir/verifier.h"

namespace hloir {
namespace check {
namespace {

// Where nothing is widened the two differ in order at most, which is a few units of f64.
constexpr double kSameInF64 = 0x1p-36;

bool IsFinite(std::complex<double> z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

enum class Difference { kNone, kNonfinite, kFinite };

// Is an element of one leaf another number than in the other, and by more than it moves by itself if what f64 rounds is
// moved? Where rounding decides whether there is a number at all, none is another.
Difference Differs(const Literal& a, const Literal& b, const Literal& moved, double relative) {
  constexpr double kMoreThanRounding = 16;
  const Distance all = Measure(a, b);
  if (all.differing == 0) return Difference::kNone;
  Difference found = Difference::kNone;
  const bool exact = !IsFloat(a.shape().element_type()) && !IsComplex(a.shape().element_type());
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
    const double distance = std::hypot(part(x.real(), y.real()), part(x.imag(), y.imag()));
    const double moved_by = std::hypot(part(x.real(), z.real()), part(x.imag(), z.imag()));
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
                   double relative) {
  Difference found = Difference::kNone;
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    const std::vector<const Literal*> x = a[d].Leaves(), y = b[d].Leaves(), z = moved[d].Leaves();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (x[i]->shape().IsArray()) found = std::max(found, Differs(*x[i], *y[i], *z[i], relative));
  }
  return found;
}

// Do the two compute different things on some inputs? False if they do not run.
StatusOr<bool> ShowsOnOtherInputs(const HloModule& original, const HloModule& mutant) {
  constexpr uint64_t kFirstSeed = 1000, kRounds = 3;
  RunnerOptions options = CheckOptions().runner;
  options.devices = UsesDevices(original) ? DeviceCountsOf(original) : DeviceCounts();
  HLOIR_ASSIGN_OR_RETURN(const IdealModule ideal_a, MakeIdealModule(original, true));
  HLOIR_ASSIGN_OR_RETURN(const IdealModule ideal_b, MakeIdealModule(mutant, true));
  HLOIR_ASSIGN_OR_RETURN(Runner a, Runner::Prepare(*ideal_a.module, options));
  HLOIR_ASSIGN_OR_RETURN(Runner b, Runner::Prepare(*ideal_b.module, options));
  HLOIR_ASSIGN_OR_RETURN(const IdealModule moved, MakeIdealModule(original, true));
  MoveRoundings(*moved.module, /*pattern=*/11, 0x1p-44, /*exact_too=*/true);
  HLOIR_ASSIGN_OR_RETURN(Runner m, Runner::Prepare(*moved.module, options));
  HLOIR_ASSIGN_OR_RETURN(Runner own_a, Runner::Prepare(original, options));
  HLOIR_ASSIGN_OR_RETURN(Runner own_b, Runner::Prepare(mutant, options));
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (const InputKind kind : {InputKind::kPlain, InputKind::kCornerCases, InputKind::kPositive, InputKind::kEdges,
                                 InputKind::kWide, InputKind::kMixed, InputKind::kSpecials, InputKind::kDominant}) {
      const StatusOr<InputSet> set = MakeInputSet(original, options.devices, kFirstSeed + round, kind);
      if (!set.ok()) return false;
      std::vector<std::vector<const Literal*>> arguments(static_cast<size_t>(options.devices.devices()));
      for (size_t d = 0; d < arguments.size(); ++d) {
        for (const Literal& literal : set->devices[d < set->devices.size() ? d : 0]) arguments[d].push_back(&literal);
      }
      const auto x = a.RunOnAll(arguments), y = b.RunOnAll(arguments);
      if (!x.ok() || !y.ok() || Differs(*x, *y, *x, kSameInF64) == Difference::kNone) continue;
      const auto z = m.RunOnAll(arguments);
      const Difference difference = z.ok() ? Differs(*x, *y, *z, kSameInF64) : Difference::kNone;
      if (difference == Difference::kFinite) return true;
      if (difference == Difference::kNone) continue;
      // What overflows in the modules' own types, and not in f64, must differ there.
      const auto own_x = own_a.RunOnAll(arguments), own_y = own_b.RunOnAll(arguments);
      if (own_x.ok() && own_y.ok() && Differs(*own_x, *own_y, *own_x, kSameInF64) != Difference::kNone) return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace check

StatusOr<MutantFate> FateOf(const HloModule& original, const Mutant& mutant, Checker& checker) {
  HLOIR_ASSIGN_OR_RETURN(const Verdict verdict, checker.Check(*mutant.module));
  if (verdict.outcome == Outcome::kDisagree) return MutantFate::kCaught;
  if (!verdict.agrees()) return MutantFate::kNotJudged;
  const StatusOr<bool> shows = check::ShowsOnOtherInputs(original, *mutant.module);
  return shows.ok() && *shows ? MutantFate::kGotAway : MutantFate::kSame;
}

}  // namespace hloir
