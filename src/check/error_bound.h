// Error bounds: the distance by which rounding may move each element of a result, measured by perturbing the module's
// roundings.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "check/module_under_test.h"

namespace hloir::check {

// The bound of each element, by device and leaf; infinite for an integer that changed.
using ErrorBound = std::vector<double>;
using ErrorBounds = std::vector<std::vector<ErrorBound>>;

inline bool IsExact(PrimitiveType type) { return !IsFloat(type) && !IsComplex(type); }

// Raises each bound to `factor` times the distance between `results` and `moved`. `pairs`: c128 stores double-double.
void Raise(ErrorBounds& bounds, const Results& results, const Results& moved, bool pairs, double factor = 1);

// The median of the finite bounds. The largest elements would dominate a mean.
double Median(const ErrorBound& bounds);

// Calls f(device, leaf, x, y) for each pair of arrays with the same type and dimensions.
template <class F>
void ForEachLeaf(const Results& a, const Results& b, F f) {
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d) {
    const std::vector<const Literal*> x = a[d].Leaves(), y = b[d].Leaves();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (x[i]->shape().IsArray() && y[i]->shape().IsArray() &&
          x[i]->shape().element_type() == y[i]->shape().element_type() && x[i]->shape().SameDimensions(y[i]->shape()))
        f(d, i, *x[i], *y[i]);
    }
  }
}

// Calls f(index, distance, magnitude) for each differing element. The distance is infinite if only one element is NaN
// or infinite. `pairs`: c128 stores double-double.
template <class F>
void ForEachDifference(const Literal& a, const Literal& b, bool pairs, F f) {
  PrimitiveTypeSwitch(a.shape().element_type(), [&](auto tag) {
    using T = typename decltype(tag)::Storage;
    const auto x = a.data<T>(), y = b.data<T>();
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::memcmp(&x[i], &y[i], sizeof(T)) == 0) continue;
      if constexpr (std::is_integral_v<T>) {
        f(i, std::max(1.0, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]))), 0.0);
      } else {
        std::complex<double> v, w;
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
          v = x[i], w = y[i];
        else v = static_cast<double>(x[i]), w = static_cast<double>(y[i]);
        const auto is_nan = [](std::complex<double> z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
        if (is_nan(v) && is_nan(w)) continue;
        const auto part = [](double p, double q) { return p == q ? 0 : std::abs(p - q); };
        double distance = std::hypot(part(v.real(), w.real()), part(v.imag(), w.imag()));
        if (pairs && std::isfinite(distance)) distance = std::abs((v.real() - w.real()) + (v.imag() - w.imag()));
        f(i, std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance,
          std::max(std::abs(v), std::abs(w)));
      }
    }
  });
}

}  // namespace hloir::check
