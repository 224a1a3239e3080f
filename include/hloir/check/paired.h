// Which of two modules runs faster, and is that more than noise? Both are prepared, and run in turns on the same
// inputs, so that whatever else the machine does meets both; what is judged is the ratio within each pair of runs.
//
// Example:
//
//   const std::unique_ptr<HloModule> after = module.Clone();  // and rewritten
//   StatusOr<PairedTimes> times = MeasurePaired(module, *after);
//   if (times.ok() && times->differ()) std::printf("%.2f of the time\n", times->ratio);
//
// May be called from any thread; what else runs meanwhile is measured, too. Tested by tests/unit/tune_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "hloir/check/runner.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// What pairs of runs say.
struct PairedTimes {
  int pairs = 0;
  double before_ms = 0, after_ms = 0;  // of one run, the medians
  double ratio = 1;                    // after / before, the median of the pairs
  double low = 1, high = 1;            // 95 % of medians lie between, of samples drawn from these pairs (bootstrap)
  double sign_p = 1;                   // so likely are such signs of the differences if neither is faster (sign test)

  // Is one faster? Asks more than chance gives in one of a hundred; else the ratio is noise, and not to be told.
  bool differ() const { return sign_p < 0.01 && (high < 1 || low > 1); }
};

// How long to measure, and how.
struct PairedOptions {
  double seconds = 1;  // at most, preparing left out; at least seven pairs are run
  int max_pairs = 101;
  uint64_t seed = 0;  // of the inputs, of who goes first, and of the bootstrap
  RunnerOptions runner = {};
};

// Errors: those of preparing and running; InvalidArgument if the modules take different arguments.
StatusOr<PairedTimes> MeasurePaired(const HloModule& before, const HloModule& after, const PairedOptions& options = {});

// What pairs of times say, by themselves; as many of each.
PairedTimes JudgePairs(std::span<const double> before, std::span<const double> after, uint64_t seed = 0);

}  // namespace hloir
#pragma GCC visibility pop
