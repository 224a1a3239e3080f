// A module in other floating arithmetic, by which rounding errors are measured. Not promised.
#pragma once

#include <memory>
#include <unordered_set>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// A copy of the module in wider floating arithmetic (f64 for f32, f32 for bf16, f16 and f8): the entry's parameters
// keep their types and are converted. So do the operands and results of ops that tie a type down (bitcast-convert, rng,
// most custom-calls). Unimplemented where such an op has results that cannot be converted.
StatusOr<std::unique_ptr<HloModule>> WidenModule(const HloModule& module);
// The same the other way, f32 for f64 and c64 for c128; other types stay. It measures the error of f64, which nothing
// is wider than: what f32 loses, f64 loses too, 2^-29 times as much.
StatusOr<std::unique_ptr<HloModule>> NarrowModule(const HloModule& module);

// A copy in which all floats are f64, and what it was made of.
struct IdealModule {
  std::unique_ptr<HloModule> module;
  // Roundings that are part of what the module computes: to types narrower than f32, by converts to a narrower type and
  // by reduce-precision.
  int64_t roundings = 0;
};
// Constants narrower than f64 that have one of these values are moved by so many units in the last place of their type.
// All up in pattern 0, all down in 1; of few values each by itself is then the one that goes down, as what several do
// may cancel; else up and down in turns.
struct ConstantMove {
  const std::unordered_set<double>* values = nullptr;
  double units = 0.5;
  uint64_t pattern = 0;
  bool are_few() const { return values->size() <= 6; }
};
// Takes scalars that are computed from constants alone as they come out in the module's own types, as compilers do.
void FoldScalars(HloModule& module);
// The same of every array of at most so many elements.
void FoldConstants(HloModule& module, int64_t most_elements);
// What the module means: the module in f64, in which roundings that are part of it stay, or go too. Parameters and tied
// types as in WidenModule. Scalars are folded first, unless `fold_scalars` says no.
StatusOr<IdealModule> MakeIdealModule(const HloModule& module, bool keep_roundings, const ConstantMove* move = nullptr,
                                      bool fold_scalars = true);

// An ideal module in double-double, for EvaluateInPairs (wide/evaluate_pairs.h): each f64 array is one of c128,
// whose elements are the high and the low double of a number. Unimplemented if the module has complex numbers. `move`:
// of f64 constants, in units of f64.
StatusOr<std::unique_ptr<HloModule>> MakePairModule(const HloModule& ideal, const ConstantMove* move = nullptr);
}  // namespace hloir
