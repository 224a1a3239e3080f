// This machine as a device: the rates of its engine in small modules that do one thing each, run for some milliseconds
// each. A roofline (cost.h) with it predicts HloExecutable's time.
//
// Example:
//
//   StatusOr<DeviceDescription> machine = CalibrateThisMachine();
//   if (machine.ok()) (void)(Roofline(module, *machine).seconds() < 0.1);
//
// Threads: may be called from any, one at a time if the figures are to mean anything. The best of several runs counts,
// as whatever else the machine does only takes time. Tested by tests/unit/calibrate_test.cc.
#pragma once

#include <cstdint>
#include <functional>

#include "hloir/cost.h"
#include "hloir/status.h"

namespace hloir {

// Options of the measurement.
struct CalibrationOptions {
  int threads = 0;        // of the engine; 0: as many as the machine has
  double seconds = 0.01;  // for each of some sixty measurements, at least
  std::function<void(int64_t done, int64_t total)> on_progress;
};
StatusOr<DeviceDescription> CalibrateThisMachine(const CalibrationOptions& options = {});

}  // namespace hloir
