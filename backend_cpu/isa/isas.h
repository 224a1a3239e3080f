// The instruction sets that kernels exist for (isas.def) and the choice of one. SupportedIsas() of hloir/executable.h
// is here as well. Tests: corpus.ISA, tests/unit/executable_test.cc.
#pragma once

#include <string>

#include "hloir/status.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

const char* IsaName(Isa isa);

// The kernels of the set called `isa`; for "", of the one that the environment variable HLOIR_FORCE_ISA names, else of
// the best that this machine has. No other place in the library reads the environment.
StatusOr<const KernelTable*> ChooseKernels(std::string isa);

}  // namespace hloir::cpu
