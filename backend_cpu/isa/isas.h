// The instruction sets with kernels (isas.def) and the choice of one. SupportedIsas() of hloir/executable.h is here as
// well. Tests: corpus.ISA, tests/unit/executable_test.cc.
#pragma once

#include <string>

#include "hloir/status.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

const char* IsaName(Isa isa);

// The kernels of the set called `isa`; for "", of the one named by the environment variable HLOIR_FORCE_ISA, otherwise
// of the best on this machine. No other code of the library reads the environment.
StatusOr<const KernelTable*> ChooseKernels(std::string isa);

}  // namespace hloir::cpu
