// Do two modules agree? Runs both on the same inputs and judges the distance of the results by the rounding error that each
// really has, measured against the same module in wider arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// Inputs for the entry computation's parameters, made from `seed`: small numbers, corner cases among them, indices legal
// where the graph shows what they index.
StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed);

struct LeafDifference {
  std::string where;              // "out0"
  int64_t differing = 0;          // elements that are not bitwise equal (NaNs count as equal to each other)
  int64_t total = 0;
  double max_absolute = 0;        // largest |a - b|
  double max_relative = 0;        // that over the leaf's largest magnitude
  double allowed_relative = 0;    // the error the two modules really have, widened as the header of equivalence.cc says
  bool agrees = true;
};

struct Comparison {
  bool agree = true;
  std::vector<LeafDifference> leaves;
  double max_absolute() const;
};

struct EquivalenceOptions {
  bool exact = false;    // bit for bit
};

// Compares two results of the same computation; `wide_a` and `wide_b` (may be null) are the results in wider arithmetic.
Comparison CompareResults(const Literal& a, const Literal& b, const Literal* wide_a, const Literal* wide_b,
                          const EquivalenceOptions& options = {});

// A copy of the module in wider floating arithmetic (f64 for f32, f32 for bf16, f16 and f8): parameters keep their types
// and are converted on entry. Unimplemented where an op ties the type down (bitcast-convert, rng, custom-call).
StatusOr<std::unique_ptr<HloModule>> WidenModule(const HloModule& module);

}  // namespace hloir
