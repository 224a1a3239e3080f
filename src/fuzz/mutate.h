// MutateModule: a legal module that is near a given one. programs.h and cases.h generate modules from scratch; this
// starts from real programs: it exchanges operands, inserts operations, removes or doubles some, moves them into called
// computations and branches, and inserts the mutants of fuzz/mutants.h. The same module and seed give the same module
// everywhere. For `hloir fuzz run FILE…`, and for fuzzers (tests/fuzz/mutator.cc). Tested by tests/unit/fuzz_test.cc.
#pragma once

#include <cstdint>
#include <memory>

#include "hloir/module.h"

namespace hloir::fuzz {

// `module` must be legal. A module in which nothing can be changed comes back as it is.
std::unique_ptr<HloModule> MutateModule(const HloModule& module, uint64_t seed);

}  // namespace hloir::fuzz
