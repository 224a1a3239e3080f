// Who is to blame for the results of a compiled program: the program itself, a pass, a kernel, the machine, or
// rounding. Blame() compares the first and the last stage of a program by Checker and, where these differ, the stages
// between (VerifyStages); and it compares stored results with those of the last stage. `hloir blame`, `hloir triage`
// and Python's hloir.blame call it.
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
  std::vector<std::string> results = {};  // .npz files and snapshots, beside those of the program
  // Hears what is known before the search for the pass begins, which may take long.
  std::function<void(const Finding&)> on_progress = {};
};

// What cannot be read or run is a finding, too: of the kind kDoubt.
Finding Blame(const DumpFolder::Module& program, const BlameOptions& options = {});

// The finding on a program of which nothing is known: `why`.
Finding UnknownFinding(const std::string& program, const std::string& why);

}  // namespace hloir
