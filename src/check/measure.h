// The time of a run of each of two modules, over several runs by turns. The caller runs and holds the clock. Which of
// the two is faster is JudgePairs' to say (run/paired_times.h). Tested by tests/unit/check_test.cc.
#pragma once

#include <functional>

#include "hloir/check.h"
#include "hloir/status.h"

namespace hloir::check {

struct TimesOfPair {
  Timing before, after;
  bool differ = false;  // as Verdict::times_differ
};

// `run(0)` runs the first module and gives the milliseconds, `run(1)` the second; as often each. Ends once both have
// run for 20 ms and often enough to tell them apart, and at the latest after 50 runs, or 200 ms of the slower module.
StatusOr<TimesOfPair> MeasureByTurns(const std::function<StatusOr<double>(int module)>& run);

}  // namespace hloir::check
