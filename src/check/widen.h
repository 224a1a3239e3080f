// A module in other floating-point arithmetic, to measure rounding errors. Internal.
#pragma once

#include <memory>
#include <unordered_set>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// A copy of the module in wider floating-point arithmetic (f64 for f32, f32 for bf16, f16 and f8). The entry's
// parameters keep their types and are converted, and so are operands and results of operations that depend on the
// type's bits (bitcast-convert, rng, most custom-calls). Unimplemented if such an operation's results cannot be
// converted.
StatusOr<std::unique_ptr<HloModule>> WidenModule(const HloModule& module);
// The reverse: f32 for f64 and c64 for c128; other types stay. It measures the error of f64, for which no wider type
// exists: f64 loses 2^-29 times as much as f32.
StatusOr<std::unique_ptr<HloModule>> NarrowModule(const HloModule& module);

// A copy in which all floats are f64.
struct IdealModule {
  std::unique_ptr<HloModule> module;
  // The number of roundings that are part of the computation: conversions to types narrower than f32, and
  // reduce-precision.
  int64_t roundings = 0;
};
// Moves constants narrower than f64 that have one of `values` by `units` in the last place of their type, or by the
// error of a product with `roundings`, if that is more: all up in pattern 0, all down in pattern 1. In further
// patterns, if there are few values, one of them moves down alone, since several moves may cancel; otherwise a hash
// decides the direction.
struct ConstantMove {
  const std::unordered_set<double>* values = nullptr;
  double units = 0.5;
  int roundings = 0;
  uint64_t pattern = 0;
  bool are_few() const { return values->size() <= 6; }
};
// Folds constant scalars in the module's own types, as compilers do.
void FoldScalars(HloModule& module);
// The same for arrays of up to `most_elements` elements.
void FoldConstants(HloModule& module, int64_t most_elements);
// The exact function of the module: the module in f64, with or without the roundings that are part of it. Parameters
// and operations that depend on bits keep their types, as in WidenModule. Scalars are folded first if `fold_scalars`.
StatusOr<IdealModule> MakeIdealModule(const HloModule& module, bool keep_roundings, const ConstantMove* move = nullptr,
                                      bool fold_scalars = true);

// An ideal module in double-double for EvaluateInPairs (wide/evaluate_pairs.h): each f64 array becomes a c128 array of
// high and low parts. Unimplemented if the module has complex numbers. `move`: of f64 constants.
StatusOr<std::unique_ptr<HloModule>> MakePairModule(const HloModule& ideal, const ConstantMove* move = nullptr);
}  // namespace hloir
