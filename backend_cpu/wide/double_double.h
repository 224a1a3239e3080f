// Double-double: a number as the sum of two doubles that do not overlap, some 106 bits of mantissa, with f64's range.
// Sums, products, quotients and roots are exact to a few parts in 2^104, functions to 2^-90 of the result (a result
// within that error of a double is rounded to it). Exceptions: results below 2^-960, where the low part underflows;
// sines, cosines and tangents beyond 2^50, which are those of f64. It is plain arithmetic in double, so every platform
// gives the same bits; it requires -ffp-contract=off. Tested by tests/unit/pairs_test.cc against identities and known
// digits.
#pragma once

#include <cmath>

namespace hloir::reference {

struct DoubleDouble {
  double hi = 0, lo = 0;

  DoubleDouble() = default;
  constexpr DoubleDouble(double x) : hi(x) {}
  constexpr DoubleDouble(double high, double low) : hi(high), lo(low) {}
};

// |a| >= |b|, or a is 0. Infinities and NaN have no low part.
inline DoubleDouble QuickSum(double a, double b) {
  const double sum = a + b;
  const double rest = b - (sum - a);
  return {sum, std::isfinite(sum) ? rest : 0};
}
inline DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, std::isfinite(sum) ? (a - (sum - part)) + (b - part) : 0};
}
inline DoubleDouble TwoProduct(double a, double b) {
  const double product = a * b;
  return {product, std::isfinite(product) ? std::fma(a, b, -product) : 0};
}

inline DoubleDouble operator-(DoubleDouble x) { return {-x.hi, -x.lo}; }
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = TwoSum(a.hi, b.hi), low = TwoSum(a.lo, b.lo);
  if (!std::isfinite(high.hi) || high.hi == 0) return low.hi == 0 ? DoubleDouble(high.hi) : high + low;
  const DoubleDouble middle = QuickSum(high.hi, high.lo + low.hi);
  return QuickSum(middle.hi, middle.lo + low.lo);
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = TwoProduct(a.hi, b.hi);
  if (!std::isfinite(high.hi) || high.hi == 0) return high.hi;
  return QuickSum(high.hi, high.lo + (a.hi * b.lo + a.lo * b.hi));
}
DoubleDouble operator/(DoubleDouble a, DoubleDouble b);

// As comparisons of doubles: for a NaN only != is true.
inline bool operator==(DoubleDouble a, DoubleDouble b) { return a.hi == b.hi && a.lo == b.lo; }
inline bool operator!=(DoubleDouble a, DoubleDouble b) { return !(a == b); }
inline bool operator<(DoubleDouble a, DoubleDouble b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }
inline bool operator<=(DoubleDouble a, DoubleDouble b) { return a.hi < b.hi || (a.hi == b.hi && a.lo <= b.lo); }
inline bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
inline bool operator>=(DoubleDouble a, DoubleDouble b) { return b <= a; }

// Rounds `x` to odd: a double for which rounding to a narrower format gives the correct result.
double RoundToOdd(DoubleDouble x);

DoubleDouble Floor(DoubleDouble x);
DoubleDouble Ceil(DoubleDouble x);
DoubleDouble RoundAway(DoubleDouble x);
DoubleDouble RoundEven(DoubleDouble x);
// The sign is the dividend's.
DoubleDouble Remainder(DoubleDouble a, DoubleDouble b);

DoubleDouble Sqrt(DoubleDouble x);
DoubleDouble Rsqrt(DoubleDouble x);
DoubleDouble Cbrt(DoubleDouble x);
DoubleDouble Exp(DoubleDouble x);
DoubleDouble Expm1(DoubleDouble x);
DoubleDouble Log(DoubleDouble x);
DoubleDouble Log1p(DoubleDouble x);
DoubleDouble Power(DoubleDouble base, DoubleDouble exponent);
DoubleDouble Sin(DoubleDouble x);
DoubleDouble Cos(DoubleDouble x);
DoubleDouble Tan(DoubleDouble x);
DoubleDouble Asin(DoubleDouble x);
DoubleDouble Acos(DoubleDouble x);
DoubleDouble Atan2(DoubleDouble y, DoubleDouble x);
DoubleDouble Sinh(DoubleDouble x);
DoubleDouble Cosh(DoubleDouble x);
DoubleDouble Tanh(DoubleDouble x);
DoubleDouble Asinh(DoubleDouble x);
DoubleDouble Acosh(DoubleDouble x);
DoubleDouble Atanh(DoubleDouble x);
DoubleDouble Logistic(DoubleDouble x);
DoubleDouble Erf(DoubleDouble x);

}  // namespace hloir::reference
