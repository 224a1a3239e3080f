// Names of instruction sets, for `hloir --version`: the sets with kernels in this build, and the default one.
// SupportedIsas() of hloir/executable.h has those of this machine. Defined in isas.cc; tested by tests/cli/help.test.
#pragma once

#include <string>
#include <vector>

#include "hloir/status.h"

namespace hloir::cpu {

// Of this architecture, in the order of isas.def.
std::vector<std::string> BuiltIsas();

// The default instruction set: HLOIR_FORCE_ISA's, otherwise the best of this machine.
StatusOr<std::string> ChosenIsa();

}  // namespace hloir::cpu
