// A table of ways in which machines' arithmetic differs from HLO's. Each row rewrites a module to compute as such a
// machine does; the machine explains stored results that equal the rewritten module's. Tested by
// tests/unit/blame_test.cc.
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
  FindingKind kind;       // of a program with such results
  // Null if the module does not change.
  std::unique_ptr<HloModule> (*rewrite)(const HloModule& module);
};

std::span<const MachineHabit> MachineHabits();

}  // namespace hloir::triage
