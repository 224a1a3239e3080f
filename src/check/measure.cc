// MeasureByTurns(): see measure.h.
#include "check/measure.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "run/paired_times.h"

namespace hloir::check {
namespace {

constexpr double kEachMilliseconds = 20;
constexpr size_t kMaxRuns = 50, kTellingRuns = 9;  // including the first run, which does not count: see JudgePairs

Timing TimingOf(std::vector<double> times) {
  // The first run touches its memory for the first time.
  if (times.size() > 1) times.erase(times.begin());
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {static_cast<int>(times.size()), at(0.5), at(0.25), at(0.75)};
}

}  // namespace

StatusOr<TimesOfPair> MeasureByTurns(const std::function<StatusOr<double>(int module)>& run) {
  std::vector<double> times[2];
  double sums[2] = {0, 0};
  // Runs alternate, so that other load of the machine affects both.
  while (times[0].size() < kMaxRuns &&
         (std::min(sums[0], sums[1]) < kEachMilliseconds || times[0].size() < kTellingRuns) &&
         std::max(sums[0], sums[1]) < 10 * kEachMilliseconds) {
    const int first = static_cast<int>(times[0].size() % 2);
    for (int k : {first, 1 - first}) {
      HLOIR_ASSIGN_OR_RETURN(const double time, run(k));
      times[k].push_back(time);
      sums[k] += time;
    }
  }
  TimesOfPair measured;
  if (times[0].size() > 1)
    measured.differ = JudgePairs(std::span(times[0]).subspan(1), std::span(times[1]).subspan(1)).differ();
  measured.before = TimingOf(std::move(times[0]));
  measured.after = TimingOf(std::move(times[1]));
  return measured;
}

}  // namespace hloir::check
