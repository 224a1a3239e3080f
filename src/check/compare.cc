// Compares values: CompareResults(), element by element and leaf by leaf, and describes differences. check.cc decides
// which rounding errors are allowed. Covered by tests/unit/check_compare_test.cc.
#include "check/compare.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "check/thresholds.h"
#include "support/format.h"

namespace hloir::check {
namespace {

bool IsNan(std::complex<double> v) { return std::isnan(v.real()) || std::isnan(v.imag()); }
// The distance of complex numbers with infinite parts: equal infinities count 0, different ones infinity.
double FiniteDistance(std::complex<double> x, std::complex<double> y) {
  const auto part = [](double a, double b) { return a == b ? 0 : std::abs(a - b); };
  return std::max(part(x.real(), y.real()), part(x.imag(), y.imag()));
}

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
std::complex<double> Wide(T value) {
  if constexpr (kIsComplex<T>) return std::complex<double>(value);
  else return static_cast<double>(value);
}

void AddFloat(Distance& d, int64_t i, std::complex<double> x, std::complex<double> y, bool same_bits) {
  const bool finite = IsFinite(x);
  if (finite) d.largest = std::max(d.largest, std::abs(x));
  d.finite += finite && IsFinite(y);
  if (same_bits) return;
  const auto mismatch = [&] {
    if (d.nonfinite++ == 0) d.worst = i;
  };
  if (IsNan(x) || IsNan(y)) {
    if (IsNan(x) != IsNan(y)) mismatch(), ++d.differing;
    return;
  }
  ++d.differing;
  const double distance = finite && IsFinite(y) ? std::abs(x - y) : FiniteDistance(x, y);
  if (!std::isfinite(distance)) return mismatch();
  if (d.nonfinite == 0 && (d.worst < 0 || distance > d.absolute)) d.worst = i;
  d.absolute = std::max(d.absolute, distance);
}

// The distance of 64-bit integers is computed exactly, as a double may not represent the integers.
template <class T>
void AddInteger(Distance& d, int64_t i, T x, T y) {
  d.largest = std::max(d.largest, std::abs(static_cast<double>(x)));
  ++d.finite;
  if (x == y) return;
  ++d.differing;
  const uint64_t a = static_cast<uint64_t>(x), b = static_cast<uint64_t>(y);
  const double distance = static_cast<double>(x > y ? a - b : b - a);
  if (d.worst < 0 || distance > d.absolute) d.worst = i;
  d.absolute = std::max(d.absolute, distance);
}

// Compares a part of an element within `allowed`. If `allowed` is 0, zeros of different sign differ.
bool PartIsNear(double x, double y, double allowed) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x == y;
  return std::abs(x - y) <= allowed && (allowed > 0 || std::signbit(x) == std::signbit(y));
}

// Compares each element within a number of units in the last place of that element.
bool AllWithinUlps(const Literal& a, const Literal& b, double ulps) {
  const int mantissa_bits = GetFloatFormat(ComplexComponentType(a.shape().element_type())).mantissa_bits;
  const auto near = [&](double x, double y) {
    // Near 0 a unit in the last place is too small a bound: results such as cos(pi/2) count in units of 1.
    const int exponent = x == 0 || !std::isfinite(x) ? 0 : std::ilogb(x);
    return PartIsNear(x, y, ulps * std::ldexp(1.0, exponent - mantissa_bits));
  };
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const std::complex<double> x = a.GetAsComplex(i), y = b.GetAsComplex(i);
    if (!near(x.real(), y.real()) || !near(x.imag(), y.imag())) return false;
  }
  return true;
}

}  // namespace

double RelativeUlp(PrimitiveType type) {
  const PrimitiveType component = ComplexComponentType(type);
  return IsFloat(component) ? std::ldexp(1.0, -GetFloatFormat(component).mantissa_bits) : 0;
}

double SmallestNormal(PrimitiveType type) {
  if (!IsFloat(type) && !IsComplex(type)) return 0;
  return std::ldexp(1, 1 - GetFloatFormat(IsComplex(type) ? ComplexComponentType(type) : type).bias);
}

bool MayFlushDenormals(PrimitiveType type) {
  return GetFloatFormat(ComplexComponentType(type)).bias >= GetFloatFormat(PrimitiveType::F32).bias;
}

double LargestFinite(PrimitiveType type) {
  const FloatFormat format = GetFloatFormat(type);
  return std::ldexp(2 - std::ldexp(1, -format.mantissa_bits), format.bias);
}

std::string ElementText(const Literal& literal, int64_t i) {
  Literal element(Shape::Scalar(literal.shape().element_type()));
  const size_t size = static_cast<size_t>(StorageBytes(literal.shape().element_type()));
  std::memcpy(element.untyped_data(), literal.untyped_data() + static_cast<size_t>(i) * size, size);
  return element.ToString();
}

std::string ElementIndexText(const Shape& shape, int64_t linear) {
  std::string text;
  for (int64_t d = shape.rank(); d-- > 0; linear /= shape.dimensions(d))
    text = (d > 0 ? "," : "") + std::to_string(linear % shape.dimensions(d)) + text;
  return text.empty() ? "" : "[" + text + "]";
}

Distance Measure(const Literal& a, const Literal& b) {
  Distance d;
  const int64_t n = a.element_count();
  PrimitiveTypeSwitch(a.shape().element_type(), [&](auto tag) {
    using T = typename decltype(tag)::Storage;
    const auto x = a.data<T>();
    if (a.shape().element_type() == b.shape().element_type()) {
      const auto y = b.data<T>();
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (std::is_same_v<T, bool>) AddInteger(d, i, int{x[i]}, int{y[i]});
        else if constexpr (std::is_integral_v<T>) AddInteger(d, i, x[i], y[i]);
        else AddFloat(d, i, Wide(x[i]), Wide(y[i]), std::memcmp(&x[i], &y[i], sizeof(T)) == 0);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) AddFloat(d, i, Wide(x[i]), b.GetAsComplex(i), false);
    }
  });
  return d;
}

bool HasNumber(const Literal& leaf) {
  const PrimitiveType type = leaf.shape().element_type();
  if (!leaf.shape().IsArray() || !IsFloat(ComplexComponentType(type))) return true;
  for (int64_t i = 0; i < leaf.element_count(); ++i)
    if (!IsNan(leaf.GetAsComplex(i))) return true;
  return false;
}

bool IsZero(const Literal& leaf) {
  if (!leaf.shape().IsArray()) return false;
  for (int64_t i = 0; i < leaf.element_count(); ++i)
    if (leaf.GetAsComplex(i) != 0.0) return false;
  return true;
}

std::vector<double> MeasureErrors(const Literal& result, const Literal* wide) {
  const std::vector<const Literal*> leaves = result.Leaves();
  std::vector<double> errors(leaves.size(), 0);
  if (wide == nullptr) return errors;
  const std::vector<const Literal*> wide_leaves = wide->Leaves();
  if (wide_leaves.size() != leaves.size()) return errors;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]->shape().IsArray() || !leaves[i]->shape().SameDimensions(wide_leaves[i]->shape())) continue;
    errors[i] = Measure(*leaves[i], *wide_leaves[i]).absolute;
  }
  return errors;
}

Comparison Compare(const Literal& a, const Literal& b, const Tolerance& tolerance, std::span<const double> errors) {
  Comparison comparison;
  const std::vector<const Literal*> a_leaves = a.Leaves(), b_leaves = b.Leaves();
  if (a_leaves.size() != b_leaves.size()) comparison.agree = false;
  for (size_t i = 0; i < std::min(a_leaves.size(), b_leaves.size()); ++i) {
    const Literal &x = *a_leaves[i], &y = *b_leaves[i];
    LeafDifference leaf;
    leaf.where = "out" + std::to_string(i);
    leaf.total = x.element_count();
    if (x.shape().element_type() != y.shape().element_type() || !x.shape().SameDimensions(y.shape()) ||
        x.dynamic_sizes() != y.dynamic_sizes()) {
      leaf.comparable = leaf.agrees = false;
      leaf.differing = leaf.total;
      leaf.a = x.shape().ToString(false), leaf.b = y.shape().ToString(false);
    } else if (x.shape().IsArray()) {
      const Distance d = Measure(x, y);
      const auto relative = [&](double absolute) { return absolute == 0 ? 0 : absolute / std::max(d.largest, 1e-300); };
      leaf.differing = d.differing;
      leaf.finite = d.finite;
      leaf.nonfinite = d.nonfinite;
      leaf.max_absolute = d.absolute;
      leaf.max_relative = relative(d.absolute);
      const PrimitiveType type = x.shape().element_type();
      const bool rounds = IsFloat(type) || IsComplex(type);
      if (tolerance.exact) {
        leaf.agrees = d.differing == 0;
      } else if (tolerance.ulps >= 0) {
        leaf.agrees = rounds ? AllWithinUlps(x, y, tolerance.ulps) : d.differing == 0;
      } else if (tolerance.relative >= 0) {
        leaf.allowed_relative = tolerance.relative;
        leaf.agrees = d.nonfinite == 0 && leaf.max_relative <= tolerance.relative;
      } else {
        leaf.allowed_relative = relative(i < errors.size() ? errors[i] : 0) + thresholds::kFewUlps * RelativeUlp(type);
        // An engine may flush denormals, as XLA:CPU does, and as some machines' bf16 products do.
        leaf.agrees =
            d.nonfinite == 0 && (leaf.max_relative <= leaf.allowed_relative || d.absolute < SmallestNormal(type));
      }
      if (d.worst >= 0) {
        leaf.element = ElementIndexText(x.shape(), d.worst);
        leaf.a = ElementText(x, d.worst), leaf.b = ElementText(y, d.worst);
      }
    }
    comparison.agree = comparison.agree && leaf.agrees;
    comparison.leaves.push_back(std::move(leaf));
  }
  return comparison;
}

}  // namespace hloir::check

namespace hloir {

Comparison CompareResults(const Literal& a, const Literal& b, const Tolerance& tolerance) {
  return check::Compare(a, b, tolerance, {});
}

int64_t Comparison::differing() const {
  int64_t count = 0;
  for (const LeafDifference& leaf : leaves) count += leaf.differing;
  return count;
}

double Comparison::max_absolute() const {
  double largest = 0;
  for (const LeafDifference& leaf : leaves) largest = std::max(largest, leaf.max_absolute);
  return largest;
}

double Comparison::max_relative() const {
  double largest = 0;
  for (const LeafDifference& leaf : leaves) largest = std::max(largest, leaf.max_relative);
  return largest;
}

std::string Comparison::ToString(const std::string& a_name, const std::string& b_name) const {
  for (const LeafDifference& leaf : leaves) {
    if (!leaf.agrees) return leaf.ToString(a_name, b_name);
  }
  return agree ? "" : "the results have different shapes";
}

std::string LeafDifference::ToString(const std::string& a_name, const std::string& b_name) const {
  if (agrees) return "";
  if (!comparable) return Format("{} is {} ({}) and {} ({})", where, a, a_name, b, b_name);
  const std::string worst = Format("{}{} is {} ({}) and {} ({})", where, element, a, a_name, b, b_name);
  const std::string count = Format("{} of {} elements", differing, total);
  if (nonfinite > 0) return Format("{}; {} differ, {} of them because one is NaN or infinite", worst, count, nonfinite);
  if (allowed_relative == 0) return Format("{}; {} differ", worst, count);
  return Format("{}; {} differ, by up to {:.3g} of the largest; rounding explains {:.3g}", worst, count, max_relative,
                allowed_relative);
}

}  // namespace hloir
