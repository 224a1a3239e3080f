// OutcomeOf(), OutcomeOfProof(): see mutants.h. Classifies undetected mutants as equivalent or missed by comparing on
// other inputs (other_inputs.h). Covered by tests/unit/mutants_test.cc.
#include "check/judge.h"
#include "check/module_under_test.h"
#include "check/widen.h"
#include "equivalence/equivalence.h"
#include "fuzz/mutants.h"
#include "fuzz/other_inputs.h"
#include "hloir/cost.h"
#include "hloir/runner.h"

namespace hloir {
namespace {

bool Pairs(const HloModule& a, const HloModule& b) { return check::WantsPairs(a) && check::WantsPairs(b); }

// Other bits on one set of inputs of each kind, by this engine. (The fast engine's order of sums may depend on the
// graph.)
StatusOr<bool> HaveOtherBits(const HloModule& original, const HloModule& mutant, Engine engine,
                             std::initializer_list<InputKind> kinds) {
  check::Context context{
      CheckOptions(), UsesDevices(original) ? DeviceCountsOf(original) : DeviceCounts(), {}, &original};
  context.options.runner.engine = engine;
  check::ModuleUnderTest a(original, context), b(mutant, context);
  for (const InputKind kind : kinds) {
    const size_t set = context.inputs.size();
    HLOIR_ASSIGN_OR_RETURN(InputSet made, MakeInputSet(original, context.counts, 2000 + set, kind));
    context.inputs.push_back(std::move(made));
    const auto &x = a.Result(set), &y = b.Result(set);
    if (context.EndsAlone(x, y)) return true;
    if (x.ok() && y.ok() && !check::CompareOnAll(*x, *y, {.exact = true}, {}).agree) return true;
  }
  return false;
}

bool IsTooMuchForReference(const HloModule& module) {
  constexpr double kMostWork = 0x1p22;  // of a run
  return check::WorkOf(CostAnalysis(module).total().once) > kMostWork;
}

}  // namespace

StatusOr<MutantOutcome> OutcomeOf(const HloModule& original, const Mutant& mutant, Checker& checker) {
  HLOIR_ASSIGN_OR_RETURN(const Verdict verdict, checker.Check(*mutant.module));
  if (verdict.outcome == Outcome::kDisagree || verdict.outcome == Outcome::kLessAccurate) return MutantOutcome::kCaught;
  if (!verdict.agrees()) return MutantOutcome::kNotJudged;
  const auto compared =
      fuzz::CompareOnOtherInputs(original, *mutant.module, {.pairs = Pairs(original, *mutant.module), .flushes = true});
  return compared.ok() && compared->differ ? MutantOutcome::kMissed : MutantOutcome::kSame;
}

bool ShowsOnOrdinaryInputs(const HloModule& original, const Mutant& mutant) {
  constexpr InputKind kPlain = InputKind::kPlain;
  const Engine engine = IsTooMuchForReference(original) ? Engine::kFast : Engine::kReference;
  const auto other = HaveOtherBits(original, *mutant.module, engine,
                                   {kPlain, kPlain, kPlain, kPlain, InputKind::kTypical, InputKind::kPositive});
  return !other.ok() || *other;
}

ProofOutcome OutcomeOfProof(const HloModule& original, const HloModule& before, const Mutant& mutant,
                            std::string* proof) {
  const equivalence::Result result = equivalence::ProveInside(before, *mutant.module);
  *proof = result.ToString();
  if (result.answer == equivalence::Answer::kOpen) return ProofOutcome::kOpen;
  // Wide arithmetic shows differences of constants below rounding although the bits are equal: 1.00000012 + 2 is 3 in
  // f32.
  const bool bitwise = result.answer == equivalence::Answer::kProvedBitwise;
  if (bitwise && !IsTooMuchForReference(original)) {
    const auto other = HaveOtherBits(original, *mutant.module, Engine::kReference,
                                     {InputKind::kPlain, InputKind::kCornerCases, InputKind::kEdges, InputKind::kWide,
                                      InputKind::kSpecials, InputKind::kUniform});
    if (other.ok() && *other) return ProofOutcome::kFalse;
  }
  const fuzz::OtherInputsOptions how{.rounds = 1,
                                     .pairs = Pairs(original, *mutant.module),
                                     .roundings = !result.Narrows(),
                                     .constants = result.RoundsConstants() || bitwise,
                                     .loses_digits = result.LosesDigits(),
                                     .finite_only = result.FiniteOnly()};
  const auto compared = fuzz::CompareOnOtherInputs(original, *mutant.module, how);
  if (!compared.ok() || compared->sets == 0) return ProofOutcome::kNotRun;
  return compared->differ ? ProofOutcome::kFalse : ProofOutcome::kHolds;
}

}  // namespace hloir
