// See prove_first.h.
#include "check/prove_first.h"

#include <algorithm>
#include <utility>

#include "check/confirm.h"
#include "check/error_bound.h"
#include "check/module_under_test.h"
#include "check/sharded.h"
#include "check/steps.h"
#include "equivalence/equivalence.h"
#include "hloir/cost.h"
#include "support/format.h"

namespace hloir::check {
namespace {

Answer AnswerOf(equivalence::Answer answer) {
  switch (answer) {
    case equivalence::Answer::kProvedBitwise: return Answer::kProvedBitwise;
    case equivalence::Answer::kProvedReals: return Answer::kProvedReals;
    case equivalence::Answer::kProvedAssuming: return Answer::kProvedAssuming;
    case equivalence::Answer::kOpen: break;
  }
  return Answer::kNotJudged;
}

// "dot.3 = reduce.7"
std::string Pair(const equivalence::Step& step) {
  return step.before == step.after ? step.before : Format("{} = {}", step.before, step.after);
}

// Summarizes the proof of all outputs in one line.
std::string How(const Proved& proved) {
  constexpr size_t kShown = 3;
  std::string how = "each result is the same function of the real numbers";
  for (size_t k = 0; k < std::min(kShown, proved.rounds_differently.size()); ++k)
    how += (k == 0 ? "; with different roundings in " : ", ") + proved.rounds_differently[k];
  if (const size_t all = proved.rounds_differently.size(); all > kShown) how += Format(" and {} more", all - kShown);
  return how;
}

void AddStep(std::vector<std::string>& list, const equivalence::Step& step, const std::string& suffix) {
  list.push_back(Pair(step) + suffix);
}

void TakeFiniteOnly(const equivalence::Result& result, Proved& proved) {
  proved.finite_only.clear();
  for (const equivalence::Step& step : result.steps) {
    if (step.finite_only()) AddStep(proved.finite_only, step, "");
    else if (step.of_positives()) AddStep(proved.finite_only, step, " for positive arguments");
  }
  if (result.FiniteOnly() && proved.finite_only.empty()) proved.finite_only.push_back("the results");
}

void TakeSteps(const equivalence::Result& result, Proved& proved) {
  TakeFiniteOnly(result, proved);
  for (const equivalence::Step& step : result.steps)
    if (step.rounds()) AddStep(proved.rounds_differently, step, "");
  proved.assumptions = result.Assumptions();
  proved.draws_alike = result.DrawsAlike();
}

// Proves value by value over the reals. Returns whether everything is proved.
bool ProveInside(const HloModule& before, const HloModule& after, bool exact, Proved& proved,
                 bool whole_arrays = false) {
  equivalence::Result result = equivalence::ProveInside(
      before, after, {.whole_arrays = whole_arrays, .try_bits = false, .nodes = !whole_arrays && !exact});
  // Results may be proved although no inner value has an equal, and open although each has one.
  const bool open = result.answer == equivalence::Answer::kOpen;
  proved.steps.proved = open ? result.matched : std::max<int64_t>(result.matched, 1);
  proved.steps.open = open ? std::max<int64_t>(result.unproved, 1) : 0;
  if (result.answer == equivalence::Answer::kProvedBitwise) {
    proved.proof.holds = true;
    proved.proof.how = "each value that the results depend on has an equal in the other module";
  } else if (exact) {
    proved.over_reals = !open;
    return false;
  }
  const std::vector<const Shape*> leaves = before.entry_computation()->root()->shape().Leaves();
  for (const equivalence::Output& output : result.outputs) {
    const size_t k = proved.outputs.size();
    const bool rounds = k < leaves.size() && leaves[k]->IsArray() && !IsExact(leaves[k]->element_type());
    proved.outputs.push_back(AnswerOf(output.answer));
    proved.but_for_rounding.push_back(rounds && output.answer == equivalence::Answer::kProvedReals &&
                                      output.KeepsRoundings());
  }
  if (open) {
    TakeFiniteOnly(result, proved);  // of the outputs that are proved
    proved.inside = std::move(result);
    return false;
  }
  if (!proved.proof.holds) {
    TakeSteps(result, proved);
    proved.proof.how = How(proved);
  }
  return true;
}

// Every output has equal bits.
void TakeBitwise(const HloModule& before, const HloModule& after, Proved& proved) {
  if (&before != &after) proved.assumptions = equivalence::AssumptionsOf(before, after);
  const bool assumes = !proved.assumptions.empty();
  proved.outputs.assign(before.entry_computation()->root()->shape().Leaves().size(),
                        assumes ? Answer::kProvedAssuming : Answer::kProvedBitwise);
}

// Outputs with the same exact normal form have equal bits, whatever the others are.
void TakeExactOutputs(const HloModule& before, const HloModule& after, Proved& proved) {
  if (AreLarge(before, after)) return;
  const equivalence::Result exact = equivalence::ProveExactly(before, after);
  if (exact.outputs.size() < 2) return;
  proved.outputs.resize(exact.outputs.size(), Answer::kNotJudged);
  for (size_t k = 0; k < exact.outputs.size(); ++k)
    proved.outputs[k] = std::min(proved.outputs[k], AnswerOf(exact.outputs[k].answer));
  if (!proved.all() || proved.inside.before.empty()) return;
  TakeSteps(std::exchange(proved.inside, {}), proved);
  proved.proof.how = How(proved);
  proved.steps.open = 0;
}

}  // namespace

bool Proved::all() const {
  return !outputs.empty() &&
         std::none_of(outputs.begin(), outputs.end(), [](Answer answer) { return answer == Answer::kNotJudged; });
}

Proved ProveFirst(const HloModule& before, const HloModule& after, bool exact, bool tried_bits) {
  Proved proved;
  if (!tried_bits) proved.proof = Prove(before, after, {.solver_work = 0});
  if (!proved.proof.holds && !ProveInside(before, after, exact, proved)) {
    ProveOptions options;
    options.confirm = ConfirmDifference;
    proved.proof = Prove(before, after, options);
  }
  if (proved.proof.holds) TakeBitwise(before, after, proved);
  else TakeExactOutputs(before, after, proved);
  return proved;
}

Proved ProveBitwise(const HloModule& before, const HloModule& after) {
  Proved proved;
  proved.proof = Prove(before, after, {.solver_work = 0});
  if (proved.proof.holds) {
    TakeBitwise(before, after, proved);
    return proved;
  }
  proved.inside = equivalence::ProveExactly(before, after);
  proved.steps = {proved.inside.matched, 0, proved.inside.unproved};
  for (const equivalence::Output& output : proved.inside.outputs) proved.outputs.push_back(AnswerOf(output.answer));
  return proved;
}

bool AreLarge(const HloModule& before, const HloModule& after) {
  constexpr int64_t kLarge = 1 << 12;  // instructions
  return before.instruction_count() + after.instruction_count() > kLarge;
}

void TakeTested(const StepTests& steps, Proved& proved) {
  constexpr size_t kShown = 3;
  TakeSteps(steps.proof, proved);
  proved.outputs.resize(steps.proof.outputs.size(), Answer::kNotJudged);
  for (Answer& answer : proved.outputs) answer = answer == Answer::kNotJudged ? Answer::kTested : answer;
  proved.tested = true;
  proved.steps = {std::max<int64_t>(steps.proof.matched - static_cast<int64_t>(steps.tested.size()), 0),
                  static_cast<int64_t>(steps.tested.size()), 0};
  std::string& how = proved.proof.how =
      steps.tested.size() == 1 ? "all but one step, which was tested separately"
                               : Format("all but {} steps, which were tested separately", steps.tested.size());
  for (size_t k = 0; k < std::min(kShown, steps.tested.size()); ++k) how += (k == 0 ? ": " : ", ") + steps.tested[k];
  if (steps.tested.size() > kShown) how += Format(" and {} more", steps.tested.size() - kShown);
}

Proved ProvePartitioned(const HloModule& before, const HloModule& after) {
  Proved proved;
  const StatusOr<std::optional<WholeViews>> views = MakeViewsForProof(before, after);
  if (!views.ok() || !views->has_value() || !(*views)->inferred.empty()) return proved;
  ProveInside(*(*views)->before, *(*views)->after, /*exact=*/false, proved, /*whole_arrays=*/true);
  if (!proved.proof.holds) return proved;
  TakeBitwise(before, after, proved);
  return proved;
}

RunSize SizeOfRuns(const HloModule& before, const HloModule& after) {
  // kSmall: some forty runs of either module, in wide arithmetic too, take a few seconds. kLarge: one run takes some
  // seconds and a gigabyte.
  constexpr double kMostOfMany = 0x1p28, kMostOfOne = 0x1p33, kMostBytes = 0x1p30;
  double work = 0, bytes = 0;
  for (const HloModule* module : {&before, &after}) {
    const CostAnalysis cost(*module);
    work = std::max(work, WorkOf(cost.total().repeated));
    double held = 0;
    for (const HloInstruction* parameter : module->entry_computation()->parameters())
      held += static_cast<double>(parameter->shape().ByteSize());
    double largest = 0;
    for (const HloComputation* computation : module->computations()) {
      for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
        largest = std::max(largest, static_cast<double>(i->shape().ByteSize()));
    }
    bytes = std::max(bytes, held + largest);
  }
  return work > kMostOfOne || bytes > kMostBytes ? RunSize::kTooLarge
         : work > kMostOfMany                    ? RunSize::kLarge
                                                 : RunSize::kSmall;
}

}  // namespace hloir::check
