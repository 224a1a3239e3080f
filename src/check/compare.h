// Distances of results, for CompareResults and the verdict. Covered by tests/unit/check_compare_test.cc.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hloir/check.h"

namespace hloir::check {

struct Distance {
  int64_t differing = 0;  // elements with different bits; all NaNs are equal
  int64_t finite = 0;     // elements that are finite in both
  int64_t nonfinite = 0;  // elements that are NaN or infinite in one only
  double absolute = 0;    // largest distance of elements that are finite in both
  double largest = 0;     // largest magnitude of the first value's finite elements
  int64_t worst = -1;     // the first element counted in `nonfinite`, else the one with the largest distance
};
// The leaves must have the same dimensions; their element types may differ.
Distance Measure(const Literal& a, const Literal& b);

// Returns whether some element is not NaN; true for values that are not arrays.
bool HasNumber(const Literal& leaf);
// Returns whether all elements are 0; true for empty arrays.
bool IsZero(const Literal& leaf);
inline bool IsFinite(std::complex<double> v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }

// One unit in the last place of a float type, or of a complex type's parts, relative to 1; 0 for other types.
double RelativeUlp(PrimitiveType type);
// The smallest normal number of a float type, or of a complex type's parts; 0 for other types.
double SmallestNormal(PrimitiveType type);
// The largest finite number of a float type.
double LargestFinite(PrimitiveType type);
// Returns whether engines may flush the type's denormals to zero, as XLA:CPU does. Types with a smaller range than f32
// keep denormals.
bool MayFlushDenormals(PrimitiveType type);
// One element in HLO syntax, and its index, "[1,2]"; the index of a scalar is empty.
std::string ElementText(const Literal& literal, int64_t linear);
std::string ElementIndexText(const Shape& shape, int64_t linear);

// The error of each leaf of `result`, as its distance from `wide`; 0 for leaves that are not comparable.
std::vector<double> MeasureErrors(const Literal& result, const Literal* wide);

// `errors`: the allowed error of each leaf in addition to a few units in the last place.
Comparison Compare(const Literal& a, const Literal& b, const Tolerance& tolerance, std::span<const double> errors);

}  // namespace hloir::check
