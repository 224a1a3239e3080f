// Arithmetic of machines that is not that of HLO's types: a table of habits, each of which rewrites a module so that it
// computes as such a machine does. Where stored results are those of the rewritten module, the machine explains them.
// Tested by tests/unit/blame_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "hloir/module.h"
#include "triage/finding.h"

namespace hloir::triage {

struct MachineHabit {
  std::string_view name;  // "flush-denormals"
  std::string_view what;  // "denormals are flushed to zero"
  FindingKind kind;       // of a program whose results it explains
  // nullptr: the module has nothing that the habit changes.
  std::unique_ptr<HloModule> (*rewrite)(const HloModule& module);
};

std::span<const MachineHabit> MachineHabits();

}  // namespace hloir::triage
