// ThreadPool: runs f(0) … f(parts-1) on a fixed set of threads and waits for all. The assignment of parts to threads is
// free, so the computation must depend on parts only; then results are the same for any number of threads. Each thread
// begins with its own range of adjacent parts, so that consecutive steps reuse a core's cache; a thread that finishes
// early takes parts from others.
//
// The number of threads of a step depends only on an estimate of its time: waking a thread takes some ten microseconds,
// and on a busy machine a working thread may be interrupted for milliseconds while all others wait for it. The caller
// never waits for a thread that has not started; it does the work itself. Tests: tests/unit/thread_pool_test.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace hloir::cpu {

// `wanted`, or, if it is 0, the number of cores of this process (support/cores.h); at most 1024.
int ThreadCount(int wanted);

// An estimate of nanoseconds of work, on a machine with AVX2. A step takes one thread for each kNanosPerThread, so that
// work of less than twice that runs on the calling thread.
inline constexpr double kNanosPerThread = 60000;

class ThreadPool {
 public:
  // `threads` in all, the caller's among them; 0: ThreadCount(0). They start with the first parallel work.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // Once *cancel is true, no part begins any more: For returns with parts undone. nullptr: never.
  void set_cancel(const std::atomic<bool>* cancel) { cancel_ = cancel; }
  bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  // The number of threads for `parts` parts with `nanoseconds` of work in total.
  int ThreadsFor(int64_t parts, double nanoseconds) const {
    const double worth = std::clamp(nanoseconds / kNanosPerThread, 1.0, static_cast<double>(threads_));
    return static_cast<int>(std::clamp<int64_t>(parts, 1, static_cast<int64_t>(worth)));
  }
  // Calls f(part, thread) for each part, with `nanoseconds` of work in total; thread < threads(). f is a function
  // pointer with data, to avoid allocation. Must be called by one thread at a time.
  template <class F>
  void For(int64_t parts, double nanoseconds, F&& f) {
    const int taking_part = ThreadsFor(parts, nanoseconds);
    widest_ = std::max(widest_, taking_part);
    if (taking_part == 1) {
      for (int64_t i = 0; i < parts && !cancelled(); ++i) f(i, 0);
      return;
    }
    Run(
        parts, taking_part,
        [](void* data, int64_t part, int thread) { (*static_cast<std::remove_reference_t<F>*>(data))(part, thread); },
        const_cast<void*>(static_cast<const void*>(&f)));
  }
  // Calls f(item, thread) for each item, with `nanoseconds` of work in total, in parts of at least some microseconds,
  // and of so little that the run can be cancelled between them.
  template <class F>
  void ForItems(int64_t items, double nanoseconds, F&& f) {
    constexpr double kWorthwhile = 20000, kEnoughParts = 256, kLongest = 20e6;
    const double most = std::max(kEnoughParts, nanoseconds / kLongest);
    const int64_t wanted = static_cast<int64_t>(std::clamp(nanoseconds / kWorthwhile, 1.0, most));
    const int64_t parts = std::min(items, wanted);
    For(parts, nanoseconds, [&](int64_t part, int thread) {
      for (int64_t i = items * part / parts; i < items * (part + 1) / parts; ++i) f(i, thread);
    });
  }
  // The maximal number of threads used since the last call, at least 1.
  int TakeWidest() { return std::exchange(widest_, 1); }

 private:
  // The worker's task and its state: only the caller offers and withdraws it, only the worker begins and ends it.
  enum State : uint32_t { kIdle, kOffered, kRunning, kStop };
  struct alignas(64) Worker {
    std::atomic<uint32_t> state{kIdle};
    std::thread thread;
  };
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  using Function = void (*)(void* data, int64_t part, int thread);
  void Run(int64_t parts, int threads, Function function, void* data);
  void Start();
  void Work(int thread);
  void TakeParts(int thread);

  int threads_, widest_ = 1;
  const std::atomic<bool>* cancel_ = nullptr;
  bool started_ = false;
  std::unique_ptr<Worker[]> workers_;
  int worker_count_ = 0;
  std::vector<Share> shares_;  // one a thread
  int taking_part_ = 0;        // threads, in this round
  Function function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace hloir::cpu
