// MutateModule: a legal module that differs little from a given one. programs.h and cases.h generate modules from
// scratch; this starts from real programs: it exchanges operands, inserts, removes or duplicates operations, moves them
// into called computations and branches, and applies the mutations of fuzz/mutants.h. The same module and seed give the
// same module everywhere. For `hloir fuzz run FILE…`, and for fuzzers (tests/fuzz/mutator.cc). Tested by
// tests/unit/fuzz_test.cc.
#pragma once

#include <cstdint>
#include <memory>

#include "hloir/module.h"

namespace hloir::fuzz {

// `module` must be legal. Returns an unchanged copy if no change applies.
std::unique_ptr<HloModule> MutateModule(const HloModule& module, uint64_t seed);

}  // namespace hloir::fuzz
