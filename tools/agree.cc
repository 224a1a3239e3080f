// See agree.h.
#include "tools/agree.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/median.h"

namespace hloir::tool {
namespace {

struct Measured {
  Literal result;
  double milliseconds = 0;
};

// Runs once; and, for a time, again until 20 ms or 50 runs are over.
StatusOr<Measured> RunMeasured(const HloModule& module, std::span<const Literal* const> inputs,
                               const AgreeOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options.runner));
  Measured measured;
  std::vector<double> times;
  const Stopwatch total;
  do {
    const Stopwatch watch;
    HLOIR_ASSIGN_OR_RETURN(measured.result, runner.Run(inputs));
    times.push_back(watch.Milliseconds());
  } while (options.timing && times.size() < 50 && total.Milliseconds() < 20);
  // The first run of several touches its memory for the first time.
  if (times.size() > 1) times.erase(times.begin());
  measured.milliseconds = Median(std::move(times));
  return measured;
}

ModuleRunner RunBy(const RunnerOptions& options) {
  return [options](const HloModule& module, std::span<const Literal* const> inputs) -> StatusOr<Literal> {
    HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
    return runner.Run(inputs);
  };
}

std::string Describe(const LeafDifference& leaf) {
  return fmt::format(
      "{} differs in {} of {} elements, by up to {:.3g} of its largest, where {:.3g} is explained by rounding",
      leaf.where, leaf.differing, leaf.total, leaf.max_relative, leaf.allowed_relative);
}

}  // namespace

std::string FirstDisagreement(const Comparison& comparison) {
  for (const LeafDifference& leaf : comparison.leaves) {
    if (!leaf.agrees) return Describe(leaf);
  }
  return comparison.agree ? "" : "the results have different shapes";
}

StatusOr<Agreement> Agree(const HloModule& before, const HloModule& after, std::span<const Literal* const> inputs,
                          const AgreeOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(const Measured a, RunMeasured(before, inputs, options));
  HLOIR_ASSIGN_OR_RETURN(const Measured b, RunMeasured(after, inputs, options));
  Agreement agreement;
  if (options.timing) agreement.before_ms = a.milliseconds, agreement.after_ms = b.milliseconds;
  agreement.comparison = JudgeResults(before, a.result, after, b.result, inputs, RunBy(options.runner));
  agreement.reason = FirstDisagreement(agreement.comparison);
  if (agreement.comparison.agree && agreement.comparison.differing() > 0 && options.exact_rewrites) {
    RunnerOptions reference = options.runner;
    reference.engine = Engine::kReference;
    EquivalenceOptions exact;
    exact.exact = true;
    HLOIR_ASSIGN_OR_RETURN(const Comparison bits, CompareModules(before, after, inputs, RunBy(reference), exact));
    if (!bits.agree) {
      agreement.comparison.agree = false;
      agreement.reason = "a rewrite that should be exact changed bits: " + FirstDisagreement(bits);
    }
  }
  return agreement;
}

}  // namespace hloir::tool
