// See error_bound.h. Covered by tests/unit/meaning_test.cc.
#include "check/error_bound.h"

namespace hloir::check {

void Raise(ErrorBounds& bounds, const Results& results, const Results& moved, bool pairs, double factor) {
  ForEachLeaf(results, moved, [&](size_t d, size_t leaf, const Literal& a, const Literal& b) {
    bounds.resize(std::max(bounds.size(), d + 1));
    bounds[d].resize(std::max(bounds[d].size(), leaf + 1));
    ErrorBound& bound = bounds[d][leaf];
    bound.resize(static_cast<size_t>(a.element_count()));
    const bool exact = IsExact(a.shape().element_type());
    ForEachDifference(a, b, pairs, [&](size_t i, double distance, double) {
      bound[i] = std::max(bound[i], exact ? std::numeric_limits<double>::infinity() : factor * distance);
    });
  });
}

double Median(const ErrorBound& bound) {
  ErrorBound finite;
  for (double s : bound) {
    if (std::isfinite(s)) finite.push_back(s);
  }
  if (finite.empty()) return 0;
  const auto middle = finite.begin() + static_cast<std::ptrdiff_t>(finite.size() / 2);
  std::nth_element(finite.begin(), middle, finite.end());
  return *middle;
}

}  // namespace hloir::check
