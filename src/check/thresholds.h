// Every number that a verdict depends on, with its source. Limits of work stand beside the code that they limit.
#pragma once

#include <cstdint>

namespace hloir::check::thresholds {

// ---- In a module's own types ----

// Two results may be apart by so many times the sum of their rounding errors: the distance of each from its result in
// wide arithmetic, by the triangle inequality, and as much again because that is one sample.
constexpr double kErrorFactor = 2;
// Units in the last place of a leaf's largest element that need no explanation: two roundings on each side.
constexpr double kFewUlps = 4;

// ---- In wide arithmetic: f64 for f32, double-double for f64 ----

// IdealMoved moves each rounding by this part of the result: some 500 units in the last place, so that what moves is
// told from what f64 itself rounds.
constexpr double kMove = 0x1p-44, kMoveOfPairs = 0x1p-73;
// 16 units in the last place of f64, the same multiple of kMoveOfPairs, and the smallest number with a low part.
constexpr double kWideUnits = 0x1p-48, kWideUnitsOfPairs = 0x1p-77, kSmallestOfPairs = 0x1p-1064;
// Patterns of signs in which roundings are moved; and where few steps are moved, as those of two may cancel.
constexpr uint64_t kPatterns = 3, kMorePatterns = 8;
// A pattern may cancel in a single element: this part of the median of a leaf is every element's bound.
constexpr double kPartOfLeaf = 1.0 / 64;
// f32 rounds 2^20 times as much as kMove: a leaf that moves by this part of its size is noise in f32.
constexpr double kIllConditioned = 0x1p-20;
// Beyond this part of the leaf's largest element the distance that was measured is no bound: the function is not
// linear so far.
constexpr double kNotLinear = 0x1p-8;
// A leaf of which more than this part of the elements moves as far tells nothing: rounding decides it.
constexpr double kMostJumps = 1.0 / 16;
// A constant moved by half a unit moves the result by the largest amount in one of several patterns, not in all.
constexpr double kConstantMargin = 1.125;
// Steps through narrower types in the second module may cost so many times what those of the first cost: both are
// samples of the same distribution.
constexpr double kNarrowStepFactor = 4;

// ---- Accuracy ----

// A rounding to f32 over kMove, and one to f64 over kMoveOfPairs.
constexpr double kOwnOverMoved = 0x1p20;
// Sums of many terms, of which only the terms and the result are moved, lose up to 14 times as much on the corpus; a
// type of 16 bits loses 2^13 times as much.
constexpr double kAccuracyMargin = 256;
constexpr double kUnitsOfAccuracy = 8;
constexpr uint64_t kMovesForAccuracy = 2 * kPatterns;
// The second module is less accurate if it loses more than so many times what the first loses.
constexpr double kOwnLosses = 4;

// ---- Inputs ----

// Numbers larger than this are extremes: exp and long products of them may leave f64's range.
constexpr double kLarge = 16;
// A loop is endless in the second module if it turns this many times as often as in the first.
constexpr int64_t kMuchLonger = 16;

}  // namespace hloir::check::thresholds
