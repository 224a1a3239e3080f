// Whether two modules that were taken for the same compute different things on inputs that no verdict has tried.
// Covered by tests/unit/mutants_test.cc.
#pragma once

#include <cstdint>

#include "hloir/check.h"
#include "hloir/module.h"

namespace hloir::fuzz {

struct HowToShow {
  uint64_t rounds = 3;        // of ten kinds of inputs each
  bool pairs = false;         // in double-double, if that can be
  bool roundings = true;      // with roundings to narrower types as they are; else these are left out
  bool constants = false;     // the two may have constants that differ by what f32 rounds
  bool loses_digits = false;  // what the mutant itself may round off does not count
  bool finite_only = false;   // what is NaN or infinite in one alone does not count
};

struct Shown {
  bool differ = false;  // by more than rounding
  int64_t sets = 0;     // of inputs on which both ran; up to the first that tells them apart
};

StatusOr<Shown> ShowsOnOtherInputs(const HloModule& original, const HloModule& mutant, const HowToShow& how);

}  // namespace hloir::fuzz
