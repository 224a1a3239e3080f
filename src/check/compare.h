// Distances of results: shared by CompareResults and the verdict. Covered by tests/unit/check_compare_test.cc.
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
  int64_t differing = 0;  // bitwise, a NaN being equal to any NaN
  int64_t finite = 0;     // elements finite in both
  int64_t nonfinite = 0;  // elements that are NaN or an infinity in one alone
  double absolute = 0;    // of elements that are finite in both
  double largest = 0;     // magnitude of a finite element of the first
  int64_t worst = -1;     // the first of those counted in `nonfinite`, else the one that is farthest apart
};
// Both leaves have the same dimensions; their element types may differ.
Distance Measure(const Literal& a, const Literal& b);

// Some element is no NaN; so it is of a value that is not an array.
bool HasNumber(const Literal& leaf);
// All elements are 0; so of an array without any.
bool IsZero(const Literal& leaf);
inline bool IsFinite(std::complex<double> v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }

// Of a float type, or of a complex one's parts; 0 for others. What is below it is a denormal, or 0.
double SmallestNormal(PrimitiveType type);
// Of a float type. What is beyond it overflows.
double LargestFinite(PrimitiveType type);
// Its denormals may count as zeros, as XLA:CPU takes them. Types with less range than f32 keep theirs.
bool MayFlushDenormals(PrimitiveType type);
// One element as HLO text writes it, and "[1,2]", where it stands; "" for a scalar.
std::string ElementText(const Literal& literal, int64_t linear);
std::string ElementIndexText(const Shape& shape, int64_t linear);

// The error of `result` against `wide`, leaf by leaf; 0 where they cannot be compared.
std::vector<double> MeasureErrors(const Literal& result, const Literal* wide);

// `errors`: how far each leaf may be apart, beside a few units in the last place.
Comparison Compare(const Literal& a, const Literal& b, const Tolerance& tolerance, std::span<const double> errors);

}  // namespace hloir::check
