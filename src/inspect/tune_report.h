// The result of a search for the best pipeline (tune/tune.h): as a text table, 80 columns wide, and as JSON.
//
//   StatusOr<TuneResult> tuned = Tune(module, BuiltinPasses(), options);
//   if (tuned.ok()) std::puts(TuneReport(*tuned).c_str());
//
// `hloir tune` prints it. Tested by tests/cli/tune.test. Threads: the functions only read their arguments.
#pragma once

#include <string>

#include "tune/tune.h"

namespace hloir {

// The costs of the modules, the differences of the best pipeline from the first, their significance, and the pipeline.
std::string TuneReport(const TuneResult& result);
// docs/json.md has the fields: those of `hloir tune --json` without `file`.
std::string TuneReportJson(const TuneResult& result);
// Only the costs: of the given module, after the first pipeline, and after the best one.
std::string TuneCostReport(const HloModule& module, const TuneCost& before, const TuneCost& first,
                           const TuneCost& best);

}  // namespace hloir
