// See spread.h. Covered by tests/unit/meaning_test.cc.
#include "check/spread.h"

namespace hloir::check {

void Raise(Spreads& spreads, const Results& results, const Results& moved, bool pairs, double factor) {
  ForEachLeaf(results, moved, [&](size_t d, size_t leaf, const Literal& a, const Literal& b) {
    spreads.resize(std::max(spreads.size(), d + 1));
    spreads[d].resize(std::max(spreads[d].size(), leaf + 1));
    Spread& spread = spreads[d][leaf];
    spread.resize(static_cast<size_t>(a.element_count()));
    const bool exact = IsExact(a.shape().element_type());
    ForEachDifference(a, b, pairs, [&](size_t i, double distance, double) {
      spread[i] = std::max(spread[i], exact ? std::numeric_limits<double>::infinity() : factor * distance);
    });
  });
}

double Median(const Spread& spread) {
  Spread finite;
  for (double s : spread) {
    if (std::isfinite(s)) finite.push_back(s);
  }
  if (finite.empty()) return 0;
  const auto middle = finite.begin() + static_cast<std::ptrdiff_t>(finite.size() / 2);
  std::nth_element(finite.begin(), middle, finite.end());
  return *middle;
}

}  // namespace hloir::check
