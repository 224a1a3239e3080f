// A device description of this machine: the measured rates of the engine in small modules dominated by one operation,
// each run for some milliseconds. A roofline (cost.h) with it predicts HloExecutable's time.
//
// Example:
//
//   StatusOr<DeviceDescription> machine = CalibrateThisMachine();
//   if (machine.ok()) (void)(Roofline(module, *machine).seconds() < 0.1);
//
// Threads: may be called from any thread; concurrent calls distort the measurements. The best of several runs counts,
// because other load only adds time. Tested by tests/unit/calibrate_test.cc.
#pragma once

#include <cstdint>
#include <functional>

#include "hloir/cost.h"
#include "hloir/status.h"

namespace hloir {

// Options of the measurement.
struct CalibrationOptions {
  int threads = 0;        // of the engine; 0: one per core
  double seconds = 0.01;  // minimal time of each of some sixty measurements
  std::function<void(int64_t done, int64_t total)> on_progress;
};
StatusOr<DeviceDescription> CalibrateThisMachine(const CalibrationOptions& options = {});

}  // namespace hloir
