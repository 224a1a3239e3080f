// Names of instruction sets, for `hloir --version`: those that kernels were built for and the one that runs. Those that
// this machine has are SupportedIsas() of hloir/executable.h. Defined in isas.cc; tested by tests/cli/help.test.
#pragma once

#include <string>
#include <vector>

#include "hloir/status.h"

namespace hloir::cpu {

// Of this architecture, in the order of isas.def.
std::vector<std::string> BuiltIsas();

// What a module runs on whose options name no set: HLOIR_FORCE_ISA's, else the best of this machine.
StatusOr<std::string> ChosenIsa();

}  // namespace hloir::cpu
