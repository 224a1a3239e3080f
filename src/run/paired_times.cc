// JudgePairs(): a sign test and a bootstrap over the times of pairs of runs; see paired_times.h. Tested by
// tests/unit/tune_test.cc.
#include "run/paired_times.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.h"
#include "support/stopwatch.h"

namespace hloir {
namespace {

constexpr int kBootstraps = 2000;

// The two-sided probability of at most `few` heads or tails among n fair coins.
double SignTest(int few, int n) {
  double p = 0;
  for (int k = 0; k <= few; ++k) {
    p += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0));
  }
  return std::min(1.0, 2 * p);
}

}  // namespace

PairedTimes JudgePairs(std::span<const double> before, std::span<const double> after, uint64_t seed) {
  PairedTimes times;
  const size_t n = std::min(before.size(), after.size());
  times.pairs = static_cast<int>(n);
  if (n == 0) return times;
  std::vector<double> ratios, a(before.begin(), before.end()), b(after.begin(), after.end());
  int less = 0, more = 0;
  for (size_t k = 0; k < n; ++k) {
    ratios.push_back(before[k] > 0 ? after[k] / before[k] : 1);
    less += after[k] < before[k];
    more += after[k] > before[k];
  }
  times.before_ms = 1e3 * Median(a);
  times.after_ms = 1e3 * Median(b);
  times.sign_p = SignTest(std::min(less, more), less + more);
  Random random(seed);
  std::vector<double> medians, sample(n);
  for (int k = 0; k < kBootstraps; ++k) {
    for (double& value : sample) value = ratios[static_cast<size_t>(random.Below(static_cast<int64_t>(n)))];
    medians.push_back(Median(sample));
  }
  std::sort(medians.begin(), medians.end());
  times.low = medians[kBootstraps / 40];
  times.high = medians[kBootstraps - 1 - kBootstraps / 40];
  times.ratio = Median(ratios);
  return times;
}

}  // namespace hloir
