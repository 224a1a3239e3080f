// A report of a module's cost: operations, bytes, communication by collective, group and mesh axis, memory, and for a
// device description (cost.h) the time of each instruction and the total.
//
// Example:
//
//   const DeviceDescription device;  // as ParseDevice reads one
//   CostReportOptions options;
//   options.device = &device;
//   std::puts(CostReport(module, options).c_str());   // tables, 80 columns wide
//   std::puts(CostJson(module, options).c_str());     // docs/json.md has the fields
//
// Threads: only reads its arguments, so any thread may call it. Tested by tests/cli/cost.test.
#pragma once

#include <optional>
#include <string>

#include "hloir/cost.h"
#include "hloir/io.h"
#include "hloir/module.h"

namespace hloir {

// Optional contents of a report.
struct CostReportOptions {
  const DeviceDescription* device = nullptr;  // none: no times
  std::optional<WhatIfMesh> mesh;
  size_t most = 10;                         // rows of each table
  const MeasuredTimes* measured = nullptr;  // of a profile: times beside the predicted ones
};

// Text tables, and everything as JSON.
std::string CostReport(const HloModule& module, const CostReportOptions& options = {});
std::string CostJson(const HloModule& module, const CostReportOptions& options = {});
// The predicted timeline for chrome://tracing and ui.perfetto.dev: computation, communication and other asynchronous
// work are separate tracks; for a loop the first iteration is shown.
std::string CostTrace(const Roofline& roofline);

}  // namespace hloir
