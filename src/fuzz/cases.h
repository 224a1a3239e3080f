// MakeCases: a module of many independent operations, each with its own parameters, with values for these and a
// tolerance for each operation. programs.h finds errors in the interaction of instructions, this file those of single
// operations: every opcode with every legal type and attribute, on values that include corner cases (NaN, infinities,
// -0, denormals, extremes, indices outside, shifts over the width). The same seed gives the same module and the same
// values everywhere.
//
// Example: `hloir fuzz generate --kind=cases --first=7 -o DIR`. Tested by tests/unit/fuzz_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hloir/literal.h"
#include "hloir/module.h"

namespace hloir::fuzz {

// The tolerance, per element, between two correct implementations.
struct Agreement {
  // Units in the last place of the element (of a complex number: of its magnitude). 0: the same bits, a NaN being any.
  double ulps = 0;
  // If rounding errors accumulate: units in the last place of the result's largest element.
  double leaf_ulps = 0;
  // The minimal magnitude for this unit: that of the terms, because a small result may come from cancellation.
  double term = 0;
  // The sign of zero and the treatment of denormals are unspecified.
  bool loose_zero = false;
};

// A description of the difference of `got` from the expected result; "" if it agrees.
std::string Difference(const Literal& want, const Literal& got, const Agreement& agreement);

// One operation: an element of the entry computation's result.
struct Case {
  std::string family;  // "elementwise", "gather", …: the names of --only
  std::string what;    // "add f32", "convert f8e5m2 to s4": for coverage and reports
  HloOpcode opcode = HloOpcode::kAdd;
  Agreement agreement;
};

struct CaseModule {
  std::unique_ptr<HloModule> module;  // the entry's root is a tuple of an array for each case
  std::vector<Literal> inputs;        // of the entry's parameters
  std::vector<Case> cases;
};

// The families' names.
std::vector<std::string> CaseFamilies();
struct CaseOptions {
  int64_t count = 24;
  std::string only;  // a family's name; "" for all
  // Only operations that every implementation must support: no denormals (XLA:CPU flushes them), no reduction with an
  // initial value other than its identity, no type or opcode that StableHLO lacks.
  bool portable = false;
};
CaseModule MakeCases(uint64_t seed, const CaseOptions& options = {});
// The module reduced to these cases, by number, without unneeded instructions.
void KeepCases(CaseModule& made, const std::vector<int64_t>& places);

}  // namespace hloir::fuzz
