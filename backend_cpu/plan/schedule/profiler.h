// Profiler: measures the steps of a plan while they run. Without a profiler, a run only tests a pointer.
#pragma once

#include <chrono>
#include <unordered_map>
#include <vector>

#include "hloir/executable.h"
#include "plan/schedule/buffers.h"

namespace hloir::cpu {

class Profiler {
 public:
  // The table must outlive the profiler.
  explicit Profiler(const BufferTable& buffers);
  bool RunStep(Step& step, Runtime& runtime);
  // `threads` share in the peak.
  ExecutionProfile Report(const KernelTable& kernels, int threads) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    int32_t index = 0, depth = 0;
    int64_t calls = 0, nanoseconds = 0;
    int threads = 0;
    size_t origin = 0;  // among the buffers' steps
  };
  std::vector<const Step*> order_;  // by the time they run at
  std::unordered_map<const Step*, Entry> entries_;
  const BufferTable& buffers_;
  std::vector<ExecutionProfile::Event> events_;
  Clock::time_point begin_;
  int64_t inner_ = 0;  // nanoseconds of steps inside the one that runs
  int32_t depth_ = 0;
};

}  // namespace hloir::cpu
