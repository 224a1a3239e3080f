// Tune() searches the best pipeline for a module: the choice and order of passes, their options and disabled rules,
// starting from a given pipeline. The best has the least cost by the public cost model (cost.h), or the least time by
// paired runs. Check verifies it before it is returned.
//
// Example:
//
//   TuneOptions options;
//   options.seconds = 10;
//   StatusOr<TuneResult> tuned = Tune(module, BuiltinPasses(), options);
//   if (tuned.ok()) std::printf("%s: %.0f bytes\n", tuned->passes.c_str(), tuned->best.bytes);
//
// May be called from any thread. `hloir tune` and Python's hloir.tune use it (inspect/tune_report.h has the tables);
// docs/tune.md documents the search and its results. Tested by tests/unit/tune_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "tune/paired.h"
#include "hloir/module.h"
#include "hloir/pass.h"
#include "hloir/status.h"

namespace hloir {

// The cost of a module, with loop bodies multiplied by known trip counts.
struct TuneCost {
  double bytes = 0;       // moved
  double operations = 0;  // FLOPs and transcendentals
  // Each instruction's bytes or operations / TuneOptions::operations_per_byte, the maximum of both, as a time in bytes.
  double roofline = 0;
  int64_t instructions = 0;  // a fusion is one
  int64_t unknown_loops = 0, custom_calls = 0;
};
TuneCost TuneCostOf(const HloModule& module, double operations_per_byte = 8);

// The objective of the search.
enum class TuneBy : uint8_t { kBytes, kOperations, kRoofline, kTime };
// "bytes", "operations", "roofline", "time"
std::string_view TuneByName(TuneBy by);

// Said while Tune() works.
struct TuneProgress {
  std::string_view phase;  // "screening", "combining", "pruning", "verifying", "measuring"
  double done = 0;         // of all work, 0 to 1
  int64_t tried = 0;       // pipelines
  double best = 1;         // of the objective, relative to the first pipeline
};

// Options of the search.
struct TuneOptions {
  TuneBy by = TuneBy::kBytes;
  double seconds = 60;  // limit of wall time; verification may take longer
  int64_t trials =
      0;  // if not 0: the maximal number of pipelines, instead of the time limit, so that results are reproducible
  uint64_t seed = 0;
  std::vector<std::string> start = {};  // as MakePipeline takes it; empty: the registry's default
  MathMode math = MathMode::kExact;
  double operations_per_byte = 8;  // for the roofline: operations per byte moved
  // A pipeline is rejected if its module has more than this multiple of the operations of the first one's, to prevent
  // recomputation for the sake of fewer bytes.
  double most_operations = 1.25;
  RunnerOptions runner = {};  // of the objective
  bool verify = true;         // off: the result is not verified
  // Called after each pipeline; false ends the search with the current result.
  std::function<bool(const TuneProgress&)> progress = {};
};

// One difference of the best pipeline from the first, and its effect.
struct TuneChange {
  std::string text;  // "dot-merger before fusion", "without cse", "fusion{multi-output=false}"
  // The objective without this change alone, relative to the objective with all changes. Not for times: single changes
  // are not measured long enough.
  std::optional<double> without;
};

// The result of Tune.
struct TuneResult {
  TuneBy by = TuneBy::kBytes;  // as it was asked
  uint64_t seed = 0;           // …
  std::string passes;          // for MakePipeline, or `hloir opt --passes=`; the first pipeline if none is better
  std::unique_ptr<HloModule> module;  // the module after it
  TuneCost unoptimized, first, best;
  // The necessary changes: without any one of them the module costs more, or differs.
  std::vector<TuneChange> changes;
  int64_t tried = 0;               // pipelines
  int64_t modules = 0;             // different modules that they gave
  int64_t failed = 0;              // pipelines that ended with an error or went over a limit
  int64_t refused = 0;             // better ones that disagreed with the module, or could not be verified
  std::string refused_because;     // of the last of these
  bool ended = true;               // false: the time limit was reached before all single changes were tried
  std::optional<Verdict> verdict;  // the verdict on `module` and the given one; none if options.verify is off
  // The first pipeline's module against the best one's, on runs not used in the search; none if it does not run.
  std::optional<PairedTimes> times;
};

// Errors: MakePipeline's and the passes' for the first pipeline; Check's, if even that cannot be verified.
StatusOr<TuneResult> Tune(const HloModule& module, const PassRegistry& registry, const TuneOptions& options = {});

}  // namespace hloir
