// See profiler.h. Tests: tests/unit/executable_test.cc.
#include "plan/schedule/profiler.h"

#include <algorithm>

namespace hloir::cpu {
namespace {

constexpr size_t kMaxEvents = 100000;

// The rate of the f32 product kernel on panels in the first-level cache: the best of some short runs.
double MeasurePeak(const KernelTable& kernels) {
  using Clock = std::chrono::steady_clock;
  const GemmKernels& gemm = kernels.gemm[static_cast<int>(GemmType::kF32)];
  constexpr int64_t kDepth = 256;
  // Room to align the panels, as packing does.
  std::vector<float> a(static_cast<size_t>(gemm.rows * kDepth + 16)),
      b(static_cast<size_t>(gemm.columns * kDepth + 16)), c(static_cast<size_t>(gemm.rows * gemm.columns + 16));
  auto aligned = [](std::vector<float>& v) {
    return v.data() + (64 - reinterpret_cast<uintptr_t>(v.data()) % 64) % 64 / sizeof(float);
  };
  double best = 0;
  for (int round = 0; round < 20; ++round) {
    constexpr int kCalls = 50;
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) gemm.tile(kDepth, aligned(a), aligned(b), aligned(c), gemm.columns, true);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, 2.0 * kCalls * kDepth * gemm.rows * gemm.columns / seconds);
  }
  return best;
}

}  // namespace

Profiler::Profiler(const BufferTable& buffers) : buffers_(buffers) {
  std::vector<std::pair<int32_t, const Step*>> order;
  for (size_t i = 0; i < buffers.steps().size(); ++i) {
    const auto& [step, time] = buffers.steps()[i];
    order.emplace_back(time, step);
    entries_[step].origin = i;
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [time, step] : order) {
    entries_[step].index = static_cast<int32_t>(order_.size());
    order_.push_back(step);
  }
  events_.reserve(kMaxEvents);
  begin_ = Clock::now();
}

bool Profiler::RunStep(Step& step, Runtime& runtime) {
  const int64_t outer_inner = std::exchange(inner_, 0);
  runtime.pool->TakeWidest();
  Entry& entry = entries_[&step];
  entry.depth = depth_++;
  const Clock::time_point begin = Clock::now();
  const bool good = step.Run(runtime);
  const int64_t duration = std::chrono::nanoseconds(Clock::now() - begin).count();
  --depth_;
  ++entry.calls;
  entry.nanoseconds += duration - inner_;
  entry.threads = std::max(entry.threads, runtime.pool->TakeWidest());
  inner_ = outer_inner + duration;
  if (events_.size() < kMaxEvents)
    events_.push_back({entry.index, std::chrono::nanoseconds(begin - begin_).count(), duration});
  return good;
}

bool RunStepsMeasured(const StepList& steps, Runtime& runtime) {
  for (const auto& step : steps) {
    if (!runtime.Tick() || !runtime.profiler->RunStep(*step, runtime)) return false;
  }
  return true;
}

ExecutionProfile Profiler::Report(const KernelTable& kernels, int threads) const {
  ExecutionProfile profile;
  for (const Step* step : order_) {
    const Entry& entry = entries_.at(step);
    StepProfile& row = profile.steps.emplace_back();
    row.name = step->Name();
    if (const HloInstruction* origin = buffers_.OriginOf(entry.origin)) {
      row.instruction = std::string(origin->name());
      if (origin->metadata() != nullptr) row.op_name = std::string(origin->metadata()->op_name);
    }
    row.depth = entry.depth;
    row.calls = entry.calls;
    row.nanoseconds = entry.nanoseconds;
    row.threads = entry.threads;
    row.flops = step->Flops();
    std::vector<int32_t> seen;
    for (const Ref& ref : step->refs()) {
      if (ref.buffer < 0 || std::find(seen.begin(), seen.end(), ref.buffer) != seen.end()) continue;
      seen.push_back(ref.buffer);
      row.bytes += buffers_.Final(ref.buffer).bytes;
    }
  }
  profile.events = events_;
  profile.peak_flops = MeasurePeak(kernels) * threads;
  return profile;
}

}  // namespace hloir::cpu
