// Time: a stopwatch, and the median of several measurements, which one slow run does not move.
#pragma once

#include <chrono>
#include <vector>

namespace hloir::tool {

class Stopwatch {
 public:
  double Milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double Median(std::vector<double> values);

}  // namespace hloir::tool
