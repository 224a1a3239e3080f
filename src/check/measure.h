// Times two modules in alternating runs. The caller runs the modules and measures the time; JudgePairs
// (run/paired_times.h) decides which is faster. Covered by tests/unit/check_test.cc.
#pragma once

#include <functional>

#include "hloir/check.h"
#include "hloir/status.h"

namespace hloir::check {

struct TimesOfPair {
  Timing before, after;
  bool differ = false;  // see Verdict::times_differ
};

// `run(0)` runs the first module and `run(1)` the second, equally often; both return milliseconds. Ends when both have
// run for 20 ms and often enough for a decision, and at the latest after 50 runs, or 200 ms of the slower module.
StatusOr<TimesOfPair> MeasureByTurns(const std::function<StatusOr<double>(int module)>& run);

}  // namespace hloir::check
