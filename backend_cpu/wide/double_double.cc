// See double_double.h. Functions start from the f64 value and improve it by a step of Newton's method with fast
// converging series, of exp and sine. Special values are those of f64.
#include "wide/double_double.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace hloir::reference {
namespace {

constexpr DoubleDouble kHalfPi(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54), kPi(2 * kHalfPi.hi, 2 * kHalfPi.lo);
constexpr double kHalfPiParts[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110,
                                   0x1.4cf98e804177dp-164};
constexpr double kLn2Parts[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, -0x1.7b57a079a1934p-111};
constexpr DoubleDouble kLn2(kLn2Parts[0], kLn2Parts[1]);
constexpr DoubleDouble kTwoOverRootPi(0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56);
constexpr double kSmallest = 0x1p-112;  // of a term beside 1

DoubleDouble Scaled(DoubleDouble x, int exponent) { return {std::ldexp(x.hi, exponent), std::ldexp(x.lo, exponent)}; }
DoubleDouble Abs(DoubleDouble x) { return x.hi < 0 || (x.hi == 0 && x.lo < 0) ? -x : x; }
bool IsSmall(DoubleDouble x) { return std::abs(x.hi) < 0.35; }

// Rounds to a double if that is within the error of functions: exp(0), 4^0.5, log(1).
DoubleDouble Snapped(DoubleDouble x) {
  if (!std::isfinite(x.hi) || std::abs(x.lo) < std::abs(x.hi) * 0x1p-92) return x.hi;
  return x;
}

// exp(x) - 1 for |x| up to 0.35: the series for x / 2^6, then six times e (e + 2).
DoubleDouble SmallExpm1(DoubleDouble x) {
  constexpr int kHalvings = 6;
  const DoubleDouble r = Scaled(x, -kHalvings);
  DoubleDouble term = r, sum = r;
  for (int n = 2; n < 40 && std::abs(term.hi) > std::abs(r.hi) * kSmallest; ++n) {
    term = term * r / static_cast<double>(n);
    sum = sum + term;
  }
  for (int k = 0; k < kHalvings; ++k) sum = sum * (sum + 2.0);
  return sum;
}

DoubleDouble RawExp(DoubleDouble x) {
  if (!(x.hi < 709.782712893384) || !(x.hi > -745.2)) return std::exp(x.hi);
  const double k = std::rint(x.hi / kLn2.hi);
  DoubleDouble r = x - TwoProduct(k, kLn2Parts[0]);
  r = r - TwoProduct(k, kLn2Parts[1]);
  r = r - TwoProduct(k, kLn2Parts[2]);
  const DoubleDouble e = SmallExpm1(r) + 1.0;
  // In two steps: the scale alone may be out of range.
  const int half = static_cast<int>(k) / 2;
  return Scaled(Scaled(e, half), static_cast<int>(k) - half);
}

DoubleDouble RawExpm1(DoubleDouble x) {
  if (x.hi == 0) return x;
  return IsSmall(x) ? SmallExpm1(x) : RawExp(x) - 1.0;
}

DoubleDouble RawLog(DoubleDouble x);

DoubleDouble RawLog1p(DoubleDouble x) {
  if (!(x.hi > -1) || !std::isfinite(x.hi) || x.hi == 0) return std::log1p(x.hi);
  if (std::abs(x.hi) > 0.5) return RawLog(x + 1.0);
  const double y = std::log1p(x.hi);
  const DoubleDouble e = SmallExpm1(Scaled(y, -1));  // |y| may be up to 0.7
  const DoubleDouble expm1 = e * (e + 2.0);
  const DoubleDouble step = (x - expm1) / (expm1 + 1.0);
  return DoubleDouble(y) + step - step * step * 0.5;
}

DoubleDouble RawLog(DoubleDouble x) {
  if (!(x.hi > 0) || !std::isfinite(x.hi)) return std::log(x.hi);
  int exponent;
  if (std::frexp(x.hi, &exponent) < 0.7071067811865476) --exponent;
  const DoubleDouble low = RawLog1p(Scaled(x, -exponent) - 1.0);
  const double k = exponent;
  return k == 0 ? low : TwoProduct(k, kLn2Parts[0]) + TwoProduct(k, kLn2Parts[1]) + k * kLn2Parts[2] + low;
}

struct SinAndCos {
  DoubleDouble sin, cos;
};

// For |x| up to about pi/4.
SinAndCos SmallSinAndCos(DoubleDouble x) {
  const DoubleDouble square = x * x;
  SinAndCos result{x, 1.0};
  DoubleDouble odd = x, even = 1.0;
  for (int n = 1; n < 60 && std::abs(even.hi) > kSmallest; n += 2) {
    even = -even * square / static_cast<double>(n * (n + 1));
    odd = -odd * square / static_cast<double>((n + 1) * (n + 2));
    result.cos = result.cos + even;
    result.sin = result.sin + odd;
  }
  return result;
}

SinAndCos RawSinAndCos(DoubleDouble x) {
  if (!(std::abs(x.hi) < 0x1p50)) return {std::sin(x.hi), std::cos(x.hi)};
  const double n = std::rint(x.hi / kHalfPi.hi);
  for (const double part : kHalfPiParts) x = x - TwoProduct(n, part);
  const SinAndCos r = SmallSinAndCos(x);
  switch (static_cast<int64_t>(n) & 3) {
    case 0: return r;
    case 1: return {r.cos, -r.sin};
    case 2: return {-r.sin, -r.cos};
    default: return {-r.cos, r.sin};
  }
}

// sqrt(1 - x^2)
DoubleDouble OtherLeg(DoubleDouble x) { return Sqrt((DoubleDouble(1) - x) * (x + 1.0)); }

// By repeated squaring for small integer exponents, so that exact results stay exact.
DoubleDouble WholePower(DoubleDouble base, int64_t exponent) {
  DoubleDouble result = 1.0;
  for (uint64_t left = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent); left != 0; left >>= 1) {
    if (left & 1) result = result * base;
    if (left > 1) base = base * base;
  }
  return exponent < 0 ? DoubleDouble(1) / result : result;
}

// f(hi), or hi + f(lo) for an integer hi.
template <class F>
DoubleDouble RoundedParts(DoubleDouble x, F f) {
  const double high = f(x.hi);
  return high == x.hi && std::isfinite(high) ? TwoSum(high, f(x.lo)) : DoubleDouble(high);
}
bool IsTie(double x) { return std::abs(x - std::trunc(x)) == 0.5; }

}  // namespace

DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  if (!std::isfinite(first) || first == 0 || !std::isfinite(b.hi)) return first;
  // The product in the correction step must not leave the range, nor the remainder.
  if (std::abs(a.hi) > 0x1p960) return Scaled(Scaled(a, -128) / b, 128);
  if (std::abs(a.hi) < 0x1p-800 && std::abs(b.hi) < 0x1p800) return Scaled(Scaled(a, 128) / b, -128);
  DoubleDouble rest = a - b * first;
  const double second = rest.hi / b.hi;
  rest = rest - b * second;
  const double third = rest.hi / b.hi;
  if (!std::isfinite(second) || !std::isfinite(third)) return first;
  const DoubleDouble sum = QuickSum(first, second);
  return QuickSum(sum.hi, sum.lo + third);
}

double RoundToOdd(DoubleDouble x) {
  if (x.lo == 0 || !std::isfinite(x.hi)) return x.hi;
  const bool beyond = std::signbit(x.lo) != std::signbit(x.hi);  // |hi| is too large
  const double cut = beyond ? std::nextafter(x.hi, 0.0) : x.hi;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(cut) | 1);
}

DoubleDouble Floor(DoubleDouble x) {
  return RoundedParts(x, [](double v) { return std::floor(v); });
}
DoubleDouble Ceil(DoubleDouble x) {
  return RoundedParts(x, [](double v) { return std::ceil(v); });
}
DoubleDouble RoundAway(DoubleDouble x) {
  if (IsTie(x.hi) && x.lo != 0) return x.lo < 0 ? std::floor(x.hi) : std::ceil(x.hi);
  return RoundedParts(x, [](double v) { return std::round(v); });
}
DoubleDouble RoundEven(DoubleDouble x) {
  if (IsTie(x.hi) && x.lo != 0) return x.lo < 0 ? std::floor(x.hi) : std::ceil(x.hi);
  return RoundedParts(x, [](double v) { return std::rint(v); });
}

DoubleDouble Remainder(DoubleDouble a, DoubleDouble b) {
  if ((a.lo == 0 && b.lo == 0) || !std::isfinite(a.hi) || !std::isfinite(b.hi) || b.hi == 0)
    return std::fmod(a.hi, b.hi);
  const DoubleDouble quotient = Abs(a) / Abs(b);
  if (quotient.hi > 0x1p90) return std::fmod(a.hi, b.hi);  // whose digits are gone
  DoubleDouble rest = Abs(a) - Floor(quotient) * Abs(b);
  if (rest.hi < 0) rest = rest + Abs(b);
  else if (rest >= Abs(b)) rest = rest - Abs(b);
  return a.hi < 0 ? -rest : rest;
}

DoubleDouble Sqrt(DoubleDouble x) {
  const double root = std::sqrt(x.hi);
  if (!(root > 0) || !std::isfinite(root)) return root;
  if (x.hi > 0x1p960) return Scaled(Sqrt(Scaled(x, -128)), 64);
  const DoubleDouble rest = x - TwoProduct(root, root);
  return QuickSum(root, rest.hi / (2 * root));
}
DoubleDouble Rsqrt(DoubleDouble x) { return Snapped(DoubleDouble(1) / Sqrt(x)); }

DoubleDouble Cbrt(DoubleDouble x) {
  const double root = std::cbrt(x.hi);
  if (root == 0 || !std::isfinite(root)) return root;
  const DoubleDouble square = TwoProduct(root, root);
  return Snapped(DoubleDouble(root) + (x - square * root) / (square * 3.0));
}

DoubleDouble Exp(DoubleDouble x) { return Snapped(RawExp(x)); }
DoubleDouble Expm1(DoubleDouble x) { return Snapped(RawExpm1(x)); }
DoubleDouble Log(DoubleDouble x) { return Snapped(RawLog(x)); }
DoubleDouble Log1p(DoubleDouble x) { return Snapped(RawLog1p(x)); }

DoubleDouble Power(DoubleDouble base, DoubleDouble exponent) {
  const double known = std::pow(base.hi, exponent.hi);
  const bool whole = exponent.lo == 0 && std::rint(exponent.hi) == exponent.hi;
  if (!std::isfinite(known) || known == 0 || !std::isfinite(base.hi) || !std::isfinite(exponent.hi) || base.hi == 0 ||
      (base.hi < 0 && !whole))
    return known;
  if (whole && std::abs(exponent.hi) <= 1024) {
    const DoubleDouble power = WholePower(base, static_cast<int64_t>(exponent.hi));
    if (std::isfinite(power.hi) && power.hi != 0) return Snapped(power);  // otherwise its reciprocal is out of range
  }
  const DoubleDouble size = RawExp(exponent * RawLog(Abs(base)));
  return Snapped(known < 0 ? -size : size);
}

DoubleDouble Sin(DoubleDouble x) { return x.hi == 0 ? x : Snapped(RawSinAndCos(x).sin); }
DoubleDouble Cos(DoubleDouble x) { return Snapped(RawSinAndCos(x).cos); }
DoubleDouble Tan(DoubleDouble x) {
  if (x.hi == 0) return x;
  if (!(std::abs(x.hi) < 0x1p50)) return std::tan(x.hi);
  const SinAndCos both = RawSinAndCos(x);
  return Snapped(both.sin / both.cos);
}

DoubleDouble Atan2(DoubleDouble y, DoubleDouble x) {
  const double known = std::atan2(y.hi, x.hi);
  const auto with_sign = [&](DoubleDouble angle) { return std::signbit(y.hi) ? -angle : angle; };
  if (std::isnan(known) || std::isinf(x.hi) || std::isinf(y.hi)) return known;
  if (y.hi == 0) return std::signbit(x.hi) ? with_sign(kPi) : DoubleDouble(known);
  if (x.hi == 0) return with_sign(kHalfPi);
  // Scaled to the unit circle, so that squares do not overflow.
  const int exponent = -std::ilogb(std::max(std::abs(x.hi), std::abs(y.hi)));
  DoubleDouble a = Scaled(x, exponent), b = Scaled(y, exponent);
  const DoubleDouble length = Sqrt(a * a + b * b);
  a = a / length, b = b / length;
  if (known == 0) return y / x;  // small enough for angle = tangent
  const SinAndCos at = RawSinAndCos(known);
  const DoubleDouble step = std::abs(a.hi) > std::abs(b.hi) ? (b - at.sin) / at.cos : (at.cos - a) / at.sin;
  return Snapped(DoubleDouble(known) + step);
}

DoubleDouble Asin(DoubleDouble x) {
  if (!(std::abs(x.hi) <= 1) || x.hi == 0) return std::asin(x.hi);
  return Atan2(x, OtherLeg(x));
}
DoubleDouble Acos(DoubleDouble x) {
  if (!(std::abs(x.hi) <= 1)) return std::acos(x.hi);
  return Atan2(OtherLeg(x), x);
}

DoubleDouble Sinh(DoubleDouble x) {
  if (x.hi == 0 || !std::isfinite(std::sinh(x.hi))) return std::sinh(x.hi);
  if (std::abs(x.hi) < 40) {
    const DoubleDouble e = RawExpm1(Abs(x)), size = (e + e / (e + 1.0)) * 0.5;
    return Snapped(x.hi < 0 ? -size : size);
  }
  const DoubleDouble root = RawExp(Abs(x) * 0.5), size = root * 0.5 * root;
  return Snapped(x.hi < 0 ? -size : size);
}
DoubleDouble Cosh(DoubleDouble x) {
  if (!std::isfinite(std::cosh(x.hi))) return std::cosh(x.hi);
  const DoubleDouble root = RawExp(Abs(x) * 0.5);
  const DoubleDouble inverse = DoubleDouble(1) / root;
  return Snapped(root * 0.5 * root + inverse * 0.5 * inverse);
}
DoubleDouble Tanh(DoubleDouble x) {
  if (x.hi == 0 || !(std::abs(x.hi) < 40)) return std::tanh(x.hi);
  const DoubleDouble e = RawExpm1(x * 2.0);
  return Snapped(e / (e + 2.0));
}

DoubleDouble Asinh(DoubleDouble x) {
  if (x.hi == 0 || !std::isfinite(x.hi)) return x.hi;
  const DoubleDouble a = Abs(x);
  const DoubleDouble square = a * a;
  const DoubleDouble size = a.hi > 0x1p500 ? RawLog(a) + kLn2 : RawLog1p(a + square / (Sqrt(square + 1.0) + 1.0));
  return Snapped(x.hi < 0 ? -size : size);
}
DoubleDouble Acosh(DoubleDouble x) {
  if (!(x.hi >= 1) || !std::isfinite(x.hi)) return std::acosh(x.hi);
  if (x.hi > 0x1p500) return Snapped(RawLog(x) + kLn2);
  const DoubleDouble above = x - 1.0;
  return Snapped(RawLog1p(above + Sqrt(above * (above + 2.0))));
}
DoubleDouble Atanh(DoubleDouble x) {
  if (!(std::abs(x.hi) < 1) || x.hi == 0) return std::atanh(x.hi);
  return Snapped(RawLog1p(x * 2.0 / (DoubleDouble(1) - x)) * 0.5);
}

DoubleDouble Logistic(DoubleDouble x) {
  if (!std::isfinite(x.hi) || x.hi < -745) return 1 / (1 + std::exp(-x.hi));
  if (x.hi > 80) return 1.0;
  const DoubleDouble e = RawExp(x.hi < 0 ? x : -x);
  return Snapped((x.hi < 0 ? e : DoubleDouble(1)) / (e + 1.0));
}

// 2 / sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + …), whose terms are all of one sign.
DoubleDouble Erf(DoubleDouble x) {
  if (x.hi == 0 || !(std::abs(x.hi) < 8.8)) return std::erf(x.hi);
  const DoubleDouble square = x * x;
  DoubleDouble term = x, sum = x;
  for (int n = 3; n < 2000 && std::abs(term.hi) > std::abs(sum.hi) * kSmallest; n += 2) {
    term = term * square * 2.0 / static_cast<double>(n);
    sum = sum + term;
  }
  return Snapped(kTwoOverRootPi * RawExp(-square) * sum);
}

}  // namespace hloir::reference
