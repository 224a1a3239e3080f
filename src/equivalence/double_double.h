// A real number as the unevaluated sum of two doubles, the second being the first's rounding error: some 106 bits.
// Products of up to four f32 numbers, or of two f64 numbers, are exact; other operations have a relative error of about
// 2^-100. The prover's coefficients are of this type, so that different constants of a module stay different. Underflow
// is not handled: below 2^-900 digits are lost. Covered by tests/unit/equivalence_test.cc.
#pragma once

#include <cmath>
#include <cstdint>

namespace hloir::equivalence::inside {

struct DoubleDouble {
  double high = 0, low = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}  // NOLINT(google-explicit-constructor): a double converts exactly
  // a + b, as high and low.
  static DoubleDouble Sum(double a, double b) {
    DoubleDouble s(a + b);
    const double shifted = s.high - a;
    if (std::isfinite(s.high)) s.low = (a - (s.high - shifted)) + (b - shifted);
    return s;
  }
  static DoubleDouble Product(double a, double b) {
    DoubleDouble p(a * b);
    if (std::isfinite(p.high)) p.low = std::fma(a, b, -p.high);
    return p;
  }
  explicit operator double() const { return high; }
  bool operator==(const DoubleDouble&) const = default;
  bool operator<(const DoubleDouble& o) const { return high < o.high || (high == o.high && low < o.low); }
  bool operator>(const DoubleDouble& o) const { return o < *this; }
  bool operator<=(const DoubleDouble& o) const { return !(o < *this); }
  DoubleDouble operator-() const {
    DoubleDouble n(-high);
    n.low = 0 - low;
    return n;
  }
};

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = DoubleDouble::Sum(a.high, b.high), low = DoubleDouble::Sum(a.low, b.low);
  const DoubleDouble sum = DoubleDouble::Sum(high.high, high.low + low.high);
  return DoubleDouble::Sum(sum.high, sum.low + low.low);
}
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble p = DoubleDouble::Product(a.high, b.high);
  return DoubleDouble::Sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  // Long division by three digits of 53 bits.
  const double first = a.high / b.high;
  if (!std::isfinite(first)) return first;
  DoubleDouble rest = a - b * first;
  const double second = rest.high / b.high;
  rest = rest - b * second;
  return DoubleDouble::Sum(first, second) + rest.high / b.high;
}
inline bool IsFinite(const DoubleDouble& a) { return std::isfinite(a.high); }
inline DoubleDouble Abs(const DoubleDouble& a) { return a.high < 0 ? -a : a; }

inline DoubleDouble Floor(const DoubleDouble& a) {
  const double high = std::floor(a.high);
  return high == a.high ? DoubleDouble::Sum(high, std::floor(a.low)) : DoubleDouble(high);
}

inline DoubleDouble WholePower(DoubleDouble base, int64_t exponent) {
  const bool inverse = exponent < 0;
  DoubleDouble power = 1;
  for (uint64_t left = static_cast<uint64_t>(inverse ? -exponent : exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) power = power * base;
    base = base * base;
  }
  return inverse ? DoubleDouble(1) / power : power;
}

// base ^ (exponent / root). The base is positive unless root is 1.
inline DoubleDouble Power(const DoubleDouble& base, int64_t exponent, int64_t root) {
  if (exponent % root == 0) return WholePower(base, exponent / root);
  // Newton's method from double's approximation; each step doubles the number of digits.
  DoubleDouble y = std::pow(base.high, 1.0 / static_cast<double>(root));
  for (int step = 0; step < 2 && y.high != 0 && IsFinite(y); ++step) {
    const DoubleDouble below = WholePower(y, root - 1);
    y = y - (below * y - base) / (below * static_cast<double>(root));
  }
  return WholePower(y, exponent);
}

}  // namespace hloir::equivalence::inside
