// Finds the cause of a compiled program's wrong results: the program itself, a pass, a kernel, the machine, or
// rounding. Blame() compares the first and the last stage of a program by Checker, and the intermediate stages
// (VerifyStages) if those differ; and it compares stored results with the last stage's results. `hloir blame`, `hloir
// triage` and Python's hloir.blame call it.
//
// Example:
//
//   const std::vector<std::string> paths = {"dumps"};
//   StatusOr<DumpFolder> dumps = ListDumps(paths);
//   if (dumps.ok()) for (const DumpFolder::Module& program : dumps->modules)
//     std::fputs(FindingReport(Blame(program)).c_str(), stdout);
//
// Threads: may be called from any thread. Tested by tests/unit/blame_test.cc, tests/cli/blame.test and triage.test.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "inspect/dumps.h"
#include "io/elided.h"
#include "triage/finding.h"

namespace hloir {

struct BlameOptions {
  CheckOptions check;  // its `stored` and names are set by Blame
  ElidedValues elided{ElidedValues::How::kAssume, {}};
  std::vector<std::string> results = {};  // .npz files and snapshots in addition to the program's
  // Called with the preliminary finding before the search for the pass, which may take long.
  std::function<void(const Finding&)> on_progress = {};
};

// A program that cannot be read or run gives a finding of the kind kDoubt.
Finding Blame(const DumpFolder::Module& program, const BlameOptions& options = {});

// The finding for a program that could not be judged, with the reason `why`.
Finding UnknownFinding(const std::string& program, const std::string& why);

}  // namespace hloir
