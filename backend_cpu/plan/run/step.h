// Step: one entry of a prepared plan, and the parts of a plan. A step refers to buffers by number until the plan is
// complete; then every Ref gets its pointer, and running a step needs no look-ups.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/status.h"
#include "kernels/kernel_table.h"
#include "plan/run/thread_pool.h"

namespace hloir::cpu {

// A place in a buffer.
struct Ref {
  int32_t buffer = -1;
  int32_t dynamic = -1;          // instead of a buffer: which of Runtime::dynamic
  int64_t offset = 0;            // bytes
  std::byte* pointer = nullptr;  // set when the plan is bound
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(pointer);
  }
};

class Profiler;

// The state of a run, besides the steps. Belongs to one executable.
struct Runtime {
  const KernelTable* kernels = nullptr;
  ThreadPool* pool = nullptr;
  const HloEvaluator* evaluator = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  Profiler* profiler = nullptr;
  std::vector<std::byte*> scratch;  // one block a thread, kScratchBytes each
  std::vector<Literal> dynamic;     // arrays of dynamic sizes
  int64_t steps_left = 0;
  Status status;  // the first error; no step runs after it

  // Counts steps that are about to run; false if the run must stop.
  bool Tick(int64_t steps = 1) {
    if ((steps_left -= steps) >= 0 && (cancel == nullptr || !cancel->load(std::memory_order_relaxed))) return true;
    Stop();
    return false;
  }
  void Stop();
};
inline constexpr int64_t kScratchBytes = 9 << 18;  // most of it is only used by large products
inline constexpr int64_t kBlockBytes = 1 << 19;    // behind them, at least: see steps/row_blocks.h

class Step {
 public:
  virtual ~Step() = default;
  // False if the run stops, with the reason in runtime.status.
  virtual bool Run(Runtime& runtime) = 0;
  // Pointers in refs() have changed.
  virtual void Bound(Runtime& runtime) { (void)runtime; }
  // True if refs()[written] may share the buffer of refs()[read], if this is the last use of the latter.
  virtual bool MayShare(int read, int written) const { return (void)read, (void)written, false; }
  // True if the step consists of operations on single elements; these are bound and added to `ops`, in order.
  virtual bool AppendScalarOps(std::vector<TileOp>& ops) const { return (void)ops, false; }
  // A line without the buffers, such as "dot 128x256x64 f32".
  virtual std::string Name() const = 0;
  // Operations on elements that a run of it takes; for profiles.
  virtual double Flops() const { return 0; }

  std::vector<Ref>& refs() { return refs_; }
  const std::vector<Ref>& refs() const { return refs_; }
  // refs() before this index are read, the others written.
  int first_written() const { return first_written_; }
  void SetRefs(std::span<const Ref> read, std::span<const Ref> written) {
    first_written_ = static_cast<int>(read.size());
    refs_.clear();
    refs_.reserve(read.size() + written.size());
    refs_.insert(refs_.end(), read.begin(), read.end());
    refs_.insert(refs_.end(), written.begin(), written.end());
  }
  void AddWritten(Ref ref) { refs_.push_back(ref); }

 protected:
  Ref& ref(int i) { return refs_[i]; }
  Ref& written(int i) { return refs_[first_written_ + i]; }

 private:
  std::vector<Ref> refs_;
  int first_written_ = 0;
};

using StepList = std::vector<std::unique_ptr<Step>>;

bool RunStepsMeasured(const StepList& steps, Runtime& runtime);  // in schedule/profiler.cc

inline bool RunSteps(const StepList& steps, Runtime& runtime) {
  if (runtime.profiler != nullptr) return RunStepsMeasured(steps, runtime);
  for (const auto& step : steps) {
    if (!runtime.Tick() || !step->Run(runtime)) return false;
  }
  return true;
}

}  // namespace hloir::cpu
