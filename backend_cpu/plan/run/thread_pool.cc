// Workers spin for some ten microseconds after a round, because the next step of a plan usually follows at once, and
// sleep on a condition variable then: nothing spins while the executable is idle.
#include "plan/run/thread_pool.h"

#include <algorithm>
#include <system_error>

namespace hloir::cpu {
namespace {

constexpr int kSpins = 20000;

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? std::min(threads, 1024)
                           : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      shares_(static_cast<size_t>(threads_)) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Start() {
  started_ = true;
  workers_.reserve(threads_ - 1);
  try {
    for (int i = 1; i < threads_; ++i) workers_.emplace_back([this, i] { Work(i); });
  } catch (const std::system_error&) {
    // The machine gives no more threads: those that there are do the work.
  }
}

void ThreadPool::TakeParts(int thread) {
  const int count = static_cast<int>(workers_.size()) + 1;
  for (int i = 0; i < count; ++i) {
    Share& share = shares_[static_cast<size_t>((thread + i) % count)];
    for (int64_t part; (part = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;)
      function_(data_, part, thread);
  }
}

void ThreadPool::Run(int64_t parts, Function function, void* data) {
  if (!started_) Start();
  function_ = function;
  data_ = data;
  const int64_t count = static_cast<int64_t>(workers_.size()) + 1;
  for (int64_t i = 0; i < count; ++i) {
    Share& share = shares_[static_cast<size_t>(i)];
    share.next.store(parts * i / count, std::memory_order_relaxed);
    share.end = parts * (i + 1) / count;
  }
  working_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst) > 0) {
    { std::lock_guard lock(mutex_); }  // whoever is about to sleep has seen the new round, or sleeps by now
    wake_.notify_all();
  }
  TakeParts(0);
  for (int spins = 0; working_.load(std::memory_order_acquire) > 0; ++spins) {
    if (spins < kSpins) Pause();
    else std::this_thread::yield();
  }
}

void ThreadPool::Work(int thread) {
  uint64_t seen = 0;
  while (true) {
    int spins = 0;
    while (round_.load(std::memory_order_acquire) == seen && !stop_.load(std::memory_order_relaxed)) {
      if (++spins < kSpins) {
        Pause();
        continue;
      }
      std::unique_lock lock(mutex_);
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      wake_.wait(lock, [&] { return round_.load(std::memory_order_seq_cst) != seen || stop_; });
      sleeping_.fetch_sub(1, std::memory_order_relaxed);
    }
    if (stop_) return;
    ++seen;
    TakeParts(thread);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace hloir::cpu
