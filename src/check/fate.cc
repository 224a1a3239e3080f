// FateOf(): see mutants.h. Whether a mutant that got away does any harm is asked of other inputs, in f64 and as it is,
// by the fast engine alone. Covered by tests/unit/mutants_test.cc.
#include <algorithm>
#include <cmath>
#include <complex>

#include "check/compare.h"
#include "hloir/check/mutants.h"
#include "hloir/check/runner.h"
#include "hloir/detail/widen.h"
#include "hloir/verifier.h"

namespace hloir {
namespace check {
namespace {

// Where nothing is widened the two differ in order at most, which is a few units of f64.
constexpr double kSameInF64 = 0x1p-36;

// Is an element of one leaf another number than in the other?
bool Differs(const Literal& a, const Literal& b, double relative) {
  const Distance all = Measure(a, b);
  if (all.differing == 0) return false;
  if (all.nonfinite > 0) return true;
  if (!IsFloat(a.shape().element_type()) && !IsComplex(a.shape().element_type())) return true;
  const double noise = relative * relative * all.largest;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const std::complex<double> x = a.GetAsComplex(i), y = b.GetAsComplex(i);
    const double distance = std::abs(x - y);
    if (std::isfinite(distance) && distance > relative * std::max(std::abs(x), std::abs(y)) && distance > noise)
      return true;
  }
  return false;
}

bool Differs(const std::vector<Literal>& a, const std::vector<Literal>& b, double relative) {
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    const std::vector<const Literal*> x = a[d].Leaves(), y = b[d].Leaves();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (x[i]->shape().IsArray() && Differs(*x[i], *y[i], relative)) return true;
  }
  return false;
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
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (const InputKind kind :
         {InputKind::kPlain, InputKind::kCornerCases, InputKind::kPositive, InputKind::kEdges, InputKind::kWide}) {
      const StatusOr<InputSet> set = MakeInputSet(original, options.devices, kFirstSeed + round, kind);
      if (!set.ok()) return false;
      std::vector<std::vector<const Literal*>> arguments(static_cast<size_t>(options.devices.devices()));
      for (size_t d = 0; d < arguments.size(); ++d) {
        for (const Literal& literal : set->devices[d < set->devices.size() ? d : 0]) arguments[d].push_back(&literal);
      }
      const auto x = a.RunOnAll(arguments), y = b.RunOnAll(arguments);
      if (x.ok() && y.ok() && Differs(*x, *y, kSameInF64)) return true;
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
