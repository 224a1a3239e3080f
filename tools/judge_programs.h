// What `triage` and `blame` share: each program is judged by Blame() in a process of its own, within limits of time and
// memory, so that none can stop the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "inspect/dumps.h"
#include "io/elided.h"
#include "triage/finding.h"

namespace hloir::tool {

struct JudgeFlags {
  std::vector<std::string> results;  // beside those that lie with the programs
  ElidedValues elided{ElidedValues::How::kAssume, {}};
  UnknownCalls unknown_calls = UnknownCalls::kUninterpreted;
  uint64_t seed = 0;
  double timeout = 60;  // seconds of processor time for each program
  int jobs = 0;         // 0: as many as there are cores
};

// --seed, --timeout, --elided and --unknown-calls.
void AddJudgeFlags(CLI::App& command, JudgeFlags& flags);

// In the order of `programs`. One that ran out of time or memory, or crashed, is a finding of what is known by then.
StatusOr<std::vector<Finding>> JudgePrograms(const std::vector<DumpFolder::Module>& programs, const JudgeFlags& flags);

// The exit status: 1 if a program is at fault or less accurate, 3 if one is not judged or unspecified; 70 if hloir is.
int ExitStatusOf(const std::vector<Finding>& findings);

}  // namespace hloir::tool
