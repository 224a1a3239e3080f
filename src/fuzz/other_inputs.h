// A search for further inputs on which two modules judged equal differ. Covered by tests/unit/mutants_test.cc.
#pragma once

#include <cstdint>

#include "hloir/check.h"
#include "hloir/module.h"

namespace hloir::fuzz {

// Options of CompareOnOtherInputs.
struct OtherInputsOptions {
  uint64_t rounds = 3;        // of ten kinds of inputs each
  bool pairs = false;         // in double-double, if that can be
  bool roundings = true;      // keeps roundings to narrower types; otherwise these are omitted
  bool constants = false;     // constants may differ by f32's rounding
  bool loses_digits = false;  // ignores differences within the mutant's own rounding
  bool flushes = false;       // ignores differences that flushing denormals to zero may cause
  bool finite_only = false;   // ignores elements that are NaN or infinite in only one
};

// Its result.
struct OtherInputsResult {
  bool differ = false;  // by more than rounding
  int64_t sets = 0;     // number of inputs on which both ran, up to the first with a difference
};

StatusOr<OtherInputsResult> CompareOnOtherInputs(const HloModule& original, const HloModule& mutant,
                                                 const OtherInputsOptions& how);

}  // namespace hloir::fuzz
