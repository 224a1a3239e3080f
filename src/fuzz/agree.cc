// Agreement of two results of a case. See cases.h.
#include <cmath>
#include <complex>

#include "fuzz/cases.h"

namespace hloir::fuzz {
namespace {

// The distance of the numbers around `x` in a format; that of its smallest normal number below it.
double UnitInTheLastPlace(double x, const FloatFormat& format) {
  const int least = 1 - format.bias, exponent = x == 0 || !std::isfinite(x) ? least : std::max(std::ilogb(x), least);
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

bool IsNan(std::complex<double> x) { return std::isnan(x.real()) || std::isnan(x.imag()); }
bool IsFinite(std::complex<double> x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }
bool SameSigns(std::complex<double> x, std::complex<double> y) {
  return std::signbit(x.real()) == std::signbit(y.real()) && std::signbit(x.imag()) == std::signbit(y.imag());
}

}  // namespace

std::string Difference(const Literal& want, const Literal& got, const Agreement& agreement) {
  if (!want.shape().Compatible(got.shape())) return got.shape().ToString() + ", not " + want.shape().ToString();
  const PrimitiveType type = want.shape().element_type(), component = ComplexComponentType(type);
  int64_t differing = 0, first = -1;
  if (!IsFloat(component)) {
    for (int64_t i = 0; i < want.element_count(); ++i) {
      if (want.GetAsInt64(i) == got.GetAsInt64(i)) continue;
      if (differing++ == 0) first = i;
    }
  } else {
    const FloatFormat& format = GetFloatFormat(component);
    const double smallest = std::ldexp(1.0, 1 - format.bias);
    double largest = agreement.term;
    for (int64_t i = 0; i < want.element_count(); ++i)
      if (const std::complex<double> x = want.GetAsComplex(i); IsFinite(x)) largest = std::max(largest, std::abs(x));
    const double everywhere =
        std::max(agreement.leaf_ulps * UnitInTheLastPlace(largest, format), agreement.loose_zero ? smallest : 0);
    for (int64_t i = 0; i < want.element_count(); ++i) {
      const std::complex<double> x = want.GetAsComplex(i), y = got.GetAsComplex(i);
      if (x == y && (agreement.loose_zero || SameSigns(x, y))) continue;
      if (IsNan(x) && IsNan(y)) continue;
      const double allowed = std::max(everywhere, agreement.ulps * UnitInTheLastPlace(std::abs(x), format));
      if (IsFinite(x) && IsFinite(y) && x != y && std::abs(x - y) <= allowed) continue;
      if (differing++ == 0) first = i;
    }
  }
  if (differing == 0) return "";
  const auto element = [&](const Literal& literal) {
    const std::complex<double> x = literal.GetAsComplex(first);
    if (!IsFloat(component)) return std::to_string(literal.GetAsInt64(first));
    return std::to_string(x.real()) + (IsComplex(type) ? ", " + std::to_string(x.imag()) : "");
  };
  return std::to_string(differing) + " of " + std::to_string(want.element_count()) + " elements; the first, " +
         std::to_string(first) + ", is " + element(got) + ", not " + element(want);
}

}  // namespace hloir::fuzz
