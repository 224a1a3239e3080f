// The numbers that a verdict depends on, with their sources. Work limits are beside the code that they limit.
#pragma once

#include <cstdint>

namespace hloir::check::thresholds {

// ---- In the modules' own types ----

// The allowed distance of two results relative to the sum of their rounding errors. An error is the distance from the
// module's wide result: the triangle inequality gives a factor of 1, doubled since one run is one sample.
constexpr double kErrorFactor = 2;
// Units in the last place of a leaf's largest element that need no explanation: two roundings on each side.
constexpr double kFewUlps = 4;

// ---- In wide arithmetic: f64 for f32, double-double for f64 ----

// The relative size of IdealMoved's perturbation: some 500 units in the last place, to exceed the roundings of f64
// itself.
constexpr double kMove = 0x1p-44, kMoveOfPairs = 0x1p-73;
// 16 units in the last place of f64, the same multiple for kMoveOfPairs, and the smallest number with a low part.
constexpr double kWideUnits = 0x1p-48, kWideUnitsOfPairs = 0x1p-77, kSmallestOfPairs = 0x1p-1064;
// How far results of one module may be apart, as a multiple of what perturbations of an ulp in each step change.
constexpr double kMovedMargin = 4;
// The number of sign patterns of perturbations; more if few steps are perturbed, since two perturbations may cancel.
constexpr uint64_t kPatterns = 3, kMorePatterns = 8;
// A pattern may cancel in a single element, so each element's bound is at least this part of the leaf's median.
constexpr double kPartOfLeaf = 1.0 / 64;
// f32 rounds 2^20 times as much as kMove: a leaf that moves by this part of its size is rounding error in f32.
constexpr double kIllConditioned = 0x1p-20;
// A distance above this part of the leaf's largest element is no bound, since the function is not linear over it.
constexpr double kNotLinear = 0x1p-8;
// If more than this part of a leaf's elements moves that far, rounding decides the leaf, and it is not judged.
constexpr double kMostJumps = 1.0 / 16;
// A constant moved by half a unit gives the largest change in one of several patterns, not in all.
constexpr double kConstantMargin = 1.125;
// The allowed loss of the second module in narrower types relative to the first module's: both are samples of the same
// distribution.
constexpr double kNarrowStepFactor = 4;

// ---- Accuracy ----

// The ratio of a rounding to f32 to kMove, and of one to f64 to kMoveOfPairs.
constexpr double kOwnOverMoved = 0x1p20;
// Long sums, of which only the terms and the result are perturbed, lose up to 14 times as much on the corpus; a 16-bit
// type loses 2^13 times as much.
constexpr double kAccuracyMargin = 256;
constexpr double kUnitsOfAccuracy = 8;
constexpr uint64_t kMovesForAccuracy = 2 * kPatterns;
// The second module is less accurate if it loses more than this multiple of the first module's loss.
constexpr double kOwnLosses = 4;

// ---- Inputs ----

// Larger numbers are extremes: exp and long products of them may exceed f64's range.
constexpr double kLarge = 16;
// The second module does not end where the first does if it takes more than this multiple of the first's steps:
// compilers unroll, compute again, and make loops of operations (Context::MostSteps).
constexpr int64_t kMuchLonger = 64;

}  // namespace hloir::check::thresholds
