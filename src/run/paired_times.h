// Statistics of paired run times: the ratio of two modules, and its significance. Tested by tests/unit/tune_test.cc.
#pragma once

#include <cstdint>
#include <span>

namespace hloir {

// The statistics of pairs of runs.
struct PairedTimes {
  int pairs = 0;
  double before_ms = 0, after_ms = 0;  // of one run, the medians
  double ratio = 1;                    // after / before, the median of the pairs
  double low = 1, high = 1;            // the 95 % confidence interval of the median (bootstrap)
  double sign_p = 1;                   // the p-value of the signs of the differences (sign test)

  // True if one is faster at the 1 % level; otherwise the ratio is noise and should not be reported.
  bool differ() const { return sign_p < 0.01 && (high < 1 || low > 1); }
};

// Statistics of pairs of times; both lists have the same length.
PairedTimes JudgePairs(std::span<const double> before, std::span<const double> after, uint64_t seed = 0);

}  // namespace hloir
