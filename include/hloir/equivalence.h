// Do two modules agree? Runs both on the same inputs and judges the distance of the results by the rounding error that
// each really has, measured against the same module in wider arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// Inputs for the entry computation's parameters, made from `seed`: small numbers, indices legal where the graph shows
// what they index. Odd seeds put corner cases among them (NaN, infinities, -0, denormals, extremes), except where the
// value reaches a loop, which might then never end.
StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed);

struct LeafDifference {
  std::string where;      // "out0"
  int64_t differing = 0;  // elements that are not bitwise equal (NaNs count as equal to each other)
  int64_t total = 0;
  double max_absolute = 0;      // largest |a - b|
  double max_relative = 0;      // that over the leaf's largest magnitude
  double allowed_relative = 0;  // the rounding error the two modules really have, as the head of equivalence.cc says
  bool same_nonfinite = true;   // NaNs and infinities are in the same places
  bool agrees = true;
};

struct Comparison {
  bool agree = true;
  std::vector<LeafDifference> leaves;
  double max_absolute() const;
  int64_t differing() const;  // elements, of all leaves; 0: the results are bit for bit the same
};

struct EquivalenceOptions {
  bool exact = false;  // bit for bit
};

// Compares two results of the same computation; `wide_a` and `wide_b` (may be null) are the results in wider
// arithmetic.
Comparison CompareResults(const Literal& a, const Literal& b, const Literal* wide_a, const Literal* wide_b,
                          const EquivalenceOptions& options = {});

// A copy of the module in wider floating arithmetic (f64 for f32, f32 for bf16, f16 and f8): the entry's parameters
// keep their types and are converted. So do the operands and results of ops that tie a type down (bitcast-convert, rng,
// most custom-calls). Unimplemented where such an op has results that cannot be converted.
StatusOr<std::unique_ptr<HloModule>> WidenModule(const HloModule& module);
// The same the other way, f32 for f64 and c64 for c128; other types stay. It measures the error of f64, which nothing
// is wider than: what f32 loses, f64 loses too, 2^-29 times as much.
StatusOr<std::unique_ptr<HloModule>> NarrowModule(const HloModule& module);

// Runs a module on inputs: whichever engine the caller has.
using ModuleRunner = std::function<StatusOr<Literal>(const HloModule&, std::span<const Literal* const> inputs)>;

// Runs both on the same inputs and compares the results; unless they are the same bit for bit (or must be: exact), runs
// both in wider arithmetic too, to see what rounding error each has. An error is that of running `a` or `b`.
StatusOr<Comparison> CompareModules(const HloModule& a, const HloModule& b, std::span<const Literal* const> inputs,
                                    const ModuleRunner& run, const EquivalenceOptions& options = {});
// The same, with the results of `a` and `b` already there.
Comparison JudgeResults(const HloModule& a, const Literal& result_a, const HloModule& b, const Literal& result_b,
                        std::span<const Literal* const> inputs, const ModuleRunner& run,
                        const EquivalenceOptions& options = {});

}  // namespace hloir
