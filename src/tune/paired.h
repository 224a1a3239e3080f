// Compares the speed of two modules, with a test for noise. Both are prepared and run alternately on the same inputs,
// so that other load affects both; the statistic is the ratio within each pair of runs.
//
// Example:
//
//   const std::unique_ptr<HloModule> after = module.Clone();  // and rewritten
//   StatusOr<PairedTimes> times = MeasurePaired(module, *after);
//   if (times.ok() && times->differ()) std::printf("%.2f of the time\n", times->ratio);
//
// May be called from any thread; concurrent load affects the times. Tested by tests/unit/tune_test.cc.
#pragma once

#include <cstdint>

#include "hloir/module.h"
#include "hloir/runner.h"
#include "hloir/status.h"
#include "run/paired_times.h"

namespace hloir {

// Options of the measurement.
struct PairedOptions {
  double seconds = 1;  // limit without preparation; at least seven pairs are run
  int max_pairs = 101;
  uint64_t seed = 0;  // of the inputs, the order within pairs, and the bootstrap
  RunnerOptions runner = {};
};

// Errors: those of preparing and running; InvalidArgument if the modules take different arguments.
StatusOr<PairedTimes> MeasurePaired(const HloModule& before, const HloModule& after, const PairedOptions& options = {});

}  // namespace hloir
