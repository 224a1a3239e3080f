// Elementary functions that XLA's converter expands: inverse and hyperbolic functions, and functions of complex
// numbers. The expansions equal XLA's exactly: Kahan's choice of signs at the cuts, Hull's, Fairgrieve's and Tang's
// inverse sine and cosine (three regions for one part, four for the other), Dekker's exact products for the logarithms
// near the unit circle. Tests: stablehlo_test.cc, the corpus (math_*, complex_*), bench/compare_stablehlo.py.
#include <cmath>
#include <numbers>

#include "formula.h"

namespace hloir::stablehlo {
namespace {

// Rounds a number to the type of x, for constants that XLA computes in that type.
bool IsDouble(E x) { return x.type() == PrimitiveType::F64; }
double Rounded(E x, double value) { return IsDouble(x) ? value : static_cast<double>(static_cast<float>(value)); }
double Largest(E x) {
  switch (x.type()) {
    case PrimitiveType::F64: return std::numeric_limits<double>::max();
    case PrimitiveType::F16: return 65504;
    case PrimitiveType::BF16: return 0x1.fep127;
    default: return std::numeric_limits<float>::max();
  }
}
double SmallestNormal(E x) {
  return IsDouble(x) ? std::numeric_limits<double>::min() : static_cast<double>(std::numeric_limits<float>::min());
}

// ---- real numbers ----

// sqrt(1 - x²), without loss near 1.
E Leg(E x) {
  const E one = x.Full(1);
  return Sqrt((one - x) * (x + one));
}

E Asin(E x) {
  const E half = Atan2(x, Leg(x) + 1.0);
  return half + half;
}

E Acos(E x) { return Atan2(Leg(x), x); }

E Acosh(E x) {
  const E root = Sqrt(x - 1.0);
  return Select(Compare(x, "GE", x.Full(Largest(x) / 2)), Log(x) + std::numbers::ln2,
                Log1p(root * (Sqrt(x + 1.0) + root)));
}

E Asinh(E x) {
  const E abs = Abs(x), square = abs * abs;
  const E small = Log1p(abs + square / (Sqrt(square + 1.0) + 1.0));
  return Sign(x) * Select(Compare(abs, "GE", x.Full(std::sqrt(Largest(x)))), Log(abs) + std::numbers::ln2, small);
}

E Atanh(E x) {
  const E inside = (Log1p(x) - Log1p(-x)) * 0.5;
  return Select(Compare(Abs(x), "GT", x.Full(1)), x.Full(kNan), inside);
}

// ---- complex numbers: x + i y ----

// The rounding error of v * v, whose rounded value is `square`.
E SquareError(E v, E square) {
  const E shifted = v * (IsDouble(v) ? 0x1p27 + 1 : 0x1p12 + 1);
  const E high = shifted + (v - shifted), low = v - high;
  const E cross = high * low;
  return -square + high * high + cross + cross + low * low;
}

E Hypot(E a, E b) {
  const E most = Max(a, b), least = Min(a, b);
  const E ratio = least / most, square = ratio * ratio;
  const E root = Sqrt(square + 1.0);
  // If 1 + r² rounds to 1 although r² is not 0, most + most r² / 2 is more accurate.
  const E general =
      Select(And(Equal(root, 1), Compare(square, "GT", a.Full(0))), most + most * square / 2.0, most * root);
  return Select(Compare(most, "EQ", least), most * std::numbers::sqrt2, general);
}

E ComplexExp(E z) {
  const E x = Real(z), y = Imag(z), e = Exp(x), root = Exp(x * 0.5);
  const E overflows = Equal(e, kInfinity);  // then root * cosine * root may still be finite
  const E cosine = Cos(y), sine = Sin(y), zero = x.Full(0);
  return MakeComplex(Select(overflows, root * cosine * root, e * cosine),
                     Select(Compare(y, "EQ", zero), zero, Select(overflows, root * sine * root, e * sine)));
}

E ComplexLog(E z) {
  const E x = Real(z), y = Imag(z), xx = x * x, yy = y * y;
  const E is_steep = Compare(yy, "GT", xx);
  const E larger = Select(is_steep, yy, xx), smaller = Select(is_steep, xx, yy);
  // x² + y² - 1 as a sum of five numbers, with the rounding error of each addition.
  const E y_error = SquareError(y, yy), x_error = SquareError(x, xx);
  const E minus_one = x.Full(-1);
  const E s1 = larger + minus_one, s2 = s1 + smaller, s3 = s2 + y_error, s4 = s3 + x_error;
  const E lost = (larger - (s1 - minus_one)) + (smaller - (s2 - s1)) + (y_error - (s3 - s2)) + (x_error - (s4 - s3));
  const E sum = s4 + lost;
  const E abs_x = Abs(x), abs_y = Abs(y), most = Max(abs_x, abs_y), least = Min(abs_x, abs_y);
  const E ratio = Select(Compare(least, "EQ", most), x.Full(1), least / most);
  const E far = Log(most) + Log1p(ratio * ratio) * 0.5;
  return MakeComplex(Select(Less(Abs(sum), 0.5), Log1p(sum) * 0.5, far), Atan2(y, x));
}

E ComplexLog1p(E z) {
  const E x = Real(z), y = Imag(z), abs_x = Abs(x), abs_y = Abs(y);
  const E most = Max(abs_x, abs_y), least = Min(abs_x, abs_y);
  const E ratio = least / most;
  const E far = Log(most) + Log1p(Select(Compare(least, "EQ", most), x.Full(1), ratio * ratio)) * 0.5;
  const E moved = x + 1.0, yy = y * y, xx = x * x, twice = x + x;
  const E near_pole = Log(moved * moved + yy) * 0.5;
  // 2x + x² + y², with the rounding error of each addition.
  const auto loss = [](E sum, E a, E b) {
    const E virtual_b = sum - a;
    return (a - (sum - virtual_b)) + (b - virtual_b);
  };
  const E y_error = SquareError(y, yy), x_error = SquareError(x, xx);
  const E s1 = twice + yy, s2 = s1 + xx, s3 = s2 + y_error, s4 = s3 + x_error;
  const E lost = loss(s1, twice, yy) + loss(s2, s1, xx) + loss(s3, s2, y_error) + loss(s4, s3, x_error);
  const E general = Log1p(s4 + lost) * 0.5;
  const E is_far = Compare(most, "GT", x.Full(Rounded(x, Rounded(x, std::sqrt(Largest(x))) * Rounded(x, 0.01))));
  return MakeComplex(Select(is_far, far, Select(Less(Abs(moved) + abs_y, 0.2), near_pole, general)), Atan2(y, moved));
}

// u = sqrt((|z| + |x|) / 2) is one part, |y| / 2u the other; if |z| overflows or underflows, by the ratio of x and y.
E ComplexSqrt(E z) {
  const E x = Real(z), y = Imag(z), abs_x = Abs(x), abs_y = Abs(y), zero = x.Full(0), one = x.Full(1);
  const double sqrt2 = std::numbers::sqrt2, diagonal = std::sqrt(1 + sqrt2);
  const E is_diagonal = Compare(abs_x, "EQ", abs_y);
  const E root_x = Sqrt(abs_x), root_y = Sqrt(abs_y);
  const E plain = Sqrt(Hypot(abs_x, abs_y) / 2.0 + abs_x / 2.0);
  const E fails = Or(Compare(plain, "EQ", zero), Equal(plain, kInfinity));
  const E is_flat = Compare(abs_x, "GT", abs_y), is_steep = Compare(abs_x, "LT", abs_y);
  const E ratio = Select(is_diagonal, one, Select(is_steep, abs_x / abs_y, abs_y / abs_x));
  const E hypotenuse = Hypot(Abs(ratio), one);
  const E flat = Sqrt(hypotenuse + 1.0), steep = Sqrt(ratio + hypotenuse);
  const E u = Select(is_diagonal, root_x * diagonal / sqrt2,
                     Select(fails, Select(is_flat, root_x * (flat / sqrt2), root_y * (steep / sqrt2)), plain));
  const E root_ratio = Select(is_diagonal, one, Select(is_steep, root_x / root_y, root_y / root_x));
  const E other = Select(is_flat, root_y * root_ratio / (flat * sqrt2), root_y / (steep * sqrt2));
  const E v = Select(is_diagonal, root_y / (diagonal * sqrt2), Select(fails, other, abs_y / (plain * 2.0)));
  const E is_below = Less(y, 0);
  return MakeComplex(Select(Compare(x, "GE", zero), u, v),
                     Select(Compare(x, "LT", zero), Select(is_below, -u, u), Select(is_below, -v, v)));
}

E ComplexSquare(E z) {
  const E x = Real(z), y = Imag(z);
  const E cancels = And(IsFinite(x), Compare(Abs(x), "EQ", Abs(y)));
  return MakeComplex(Select(cancels, x.Full(0), (x - y) * (x + y)), x * y * 2.0);
}

// The inverse sine and cosine of x + i y in the first quadrant are atan2(x, leg) and atan2(leg, x), with the imaginary
// part `height` of both.
struct InverseParts {
  E leg, height;
};

InverseParts InverseSine(E signed_x, E signed_y) {
  const E x = Abs(signed_x), y = Abs(signed_y), zero = x.Full(0), one = x.Full(1);
  const double safe = Rounded(x, Rounded(x, std::sqrt(Largest(x))) / 8);
  const E right = x + one, left = x - one;
  const E r = Hypot(Abs(right), y), s = Hypot(Abs(left), y);
  const E a = (r + s) * 0.5;
  const E half = (a + x) * 0.5, yy = y * y, r_right = r + right, s_minus = s - left, s_plus = s + left;
  const E inner = Sqrt(half * (yy / r_right + s_minus));
  const E outer = y * Sqrt(half / r_right + half / s_plus);
  const E is_large = Compare(Max(x, y), "GE", x.Full(safe));
  const E leg = Select(is_large, y, Select(Compare(x, "LE", one), inner, outer));

  const E limit = Select(Less(x, Rounded(x, safe * Rounded(x, 1e12))), x.Full(Rounded(x, safe * Rounded(x, 1e-6))),
                         x.Full(Rounded(x, safe * 100)));
  const E is_high = Compare(y, "GE", limit);
  const E larger = Select(is_high, y, x);
  const E slope = Select(And(is_high, Not(Equal(y, kInfinity))), x / y, zero);
  const E far = Log(larger) + std::numbers::ln2 + Log1p(slope * slope) * 0.5;
  const double tiny = Rounded(x, Rounded(x, std::sqrt(SmallestNormal(x))) * 4);
  const E hugs_axis = And(Less(y, tiny), Compare(x, "LT", one));
  const E a_plus = a + one, half_yy = yy * 0.5, first = half_yy / r_right;
  const E beyond = first + s_plus * 0.5;
  const E within = Select(Compare(a, "LE", x.Full(1.5)), first + half_yy / s_minus, a - one);
  const E a_minus = Select(hugs_axis, -(right * left / a_plus), Select(Compare(x, "GE", one), beyond, within));
  const E root = Sqrt(a_minus * a_plus);
  const E height = Select(Compare(larger, "GE", Select(is_high, limit, x.Full(safe))), far,
                          Select(hugs_axis, y / root, Log1p(a_minus + root)));
  return {leg, height};
}

// Real and imaginary parts are extracted again for signs, as in XLA.
E ComplexAsin(E z) {
  const E x = Real(z);
  const auto [leg, height] = InverseSine(Real(z), Imag(z));
  return MakeComplex(Atan2(x, leg), Select(Less(Imag(z), 0), -height, height));
}

E ComplexAcos(E z) {
  const auto [leg, height] = InverseSine(Real(z), Imag(z));
  return MakeComplex(Atan2(leg, Real(z)), Select(Less(Imag(z), 0), height, -height));
}

E ComplexAcosh(E z) {
  const auto [leg, height] = InverseSine(Real(z), Imag(z));
  const E angle = Atan2(leg, Real(z));
  return MakeComplex(height, Select(Less(Imag(z), 0), -angle, angle));
}

// asin of -y + i x, rotated back.
E ComplexAsinh(E z) {
  const E x = Real(z), y = Imag(z);
  const auto [leg, height] = InverseSine(-y, x);
  return MakeComplex(Select(Less(x, 0), -height, height), Atan2(y, leg));
}

std::pair<E, E> InverseTangent(E x, E y) {
  const bool is_double = IsDouble(x);
  const E zero = x.Full(0), one = x.Full(1), abs_x = Abs(x), abs_y = Abs(y);
  const double eps = is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  const double inverse = Rounded(x, 2 / eps + 2);  // (1 / eps)(2 + 2 eps)
  const double safe = Rounded(x, inverse * inverse);
  const E is_safe = And(Less(abs_x, safe), Less(abs_y, safe));
  const E left = one - abs_x, yy = y * y;
  const E near = abs_x / (left * left + yy);
  const auto is_infinite = [](E v) { return Or(Equal(v, kInfinity), Equal(v, -kInfinity)); };
  const E far = Select(Or(is_infinite(x), is_infinite(y)), zero, one / (abs_x / y + y / abs_x) / y);
  const E is_flat = Compare(abs_y * inverse, "LT", abs_x);
  const E ratio = Select(is_safe, near, Select(is_flat, one / abs_x, far));
  const auto sign = [&](E v) { return Select(Compare(v, "GE", zero), one, one.Full(-1)); };
  const E re = sign(x) * Log1p(ratio * 4.0) * 0.25;
  const E angle = Atan2(y + y, left * (abs_x + one) - yy);
  return {re, Select(is_safe, angle, sign(y) * std::numbers::pi) * 0.5};
}

E ComplexAtanh(E z) {
  const auto [re, im] = InverseTangent(Real(z), Imag(z));
  return MakeComplex(re, im);
}

// -i atanh(i z).
E ComplexAtan(E z) {
  const auto [re, im] = InverseTangent(-Imag(z), Real(z));
  return MakeComplex(im, -re);
}

// ---- both ----

// e^x / 2 and e^-x / 2, which overflow later than e^x does.
std::pair<E, E> HalfExponentials(E x) {
  if (!IsComplex(x.type())) {
    const E log_half = x.Full(-std::numbers::ln2);
    return {Exp(x + log_half), Exp(log_half - x)};
  }
  const E log_half = ComplexLog(x.Full(0.5));
  return {ComplexExp(x + log_half), ComplexExp(log_half - x)};
}

E Cosh(E x) {
  const auto [up, down] = HalfExponentials(x);
  return up + down;
}

E Sinh(E x) {
  const auto [up, down] = HalfExponentials(x);
  if (IsComplex(x.type())) return up - down;
  const E minus_one = Expm1(x);
  const E near = (minus_one + minus_one / (minus_one + 1.0)) * 0.5;
  return Select(Less(Abs(x), 1), near, up - down);
}

struct Function {
  std::string_view name;
  E (*real)(E);
  E (*complex)(E);
};

constexpr Function kFunctions[] = {
    {"asin", Asin, ComplexAsin},
    {"acos", Acos, ComplexAcos},
    {"atan", nullptr, ComplexAtan},
    {"asinh", Asinh, ComplexAsinh},
    {"acosh", Acosh, ComplexAcosh},
    {"atanh", Atanh, ComplexAtanh},
    {"sinh", Sinh, Sinh},
    {"cosh", Cosh, Cosh},
    {"exponential", nullptr, ComplexExp},
    {"log", nullptr, ComplexLog},
    {"log_plus_one", nullptr, ComplexLog1p},
    {"sqrt", nullptr, ComplexSqrt},
    {"square", nullptr, ComplexSquare},
};

}  // namespace

bool IsElementary(std::string_view name) {
  return std::any_of(std::begin(kFunctions), std::end(kFunctions), [&](const Function& f) { return f.name == name; });
}

E Elementary(std::string_view name, E x) {
  for (const Function& function : kFunctions) {
    if (function.name != name) continue;
    const PrimitiveType type = x.type();
    if (IsComplex(type)) return function.complex(x);
    if (!IsFloat(type) || function.real == nullptr) break;
    const bool is_narrow = BitWidth(type) < 32 && (name == "sinh" || name == "cosh");
    return is_narrow ? ConvertTo(function.real(ConvertTo(x, PrimitiveType::F32)), type) : function.real(x);
  }
  return {x.s, x.like, nullptr};
}

}  // namespace hloir::stablehlo
