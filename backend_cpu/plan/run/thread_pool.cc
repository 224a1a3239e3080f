// A worker that has finished a round spins for a few microseconds, because the next step of a plan often follows at
// once; then it polls and yields for some more; then it sleeps, from which waking takes some ten microseconds. The
// caller does the same while it waits for the workers' last parts.
#include "plan/run/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "support/cores.h"

namespace hloir::cpu {
namespace {

constexpr std::chrono::microseconds kSpinTime{5}, kYieldTime{100};

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits while `state` is `value`: spins, then yields, then sleeps until notified.
void WaitWhile(const std::atomic<uint32_t>& state, uint32_t value) {
  constexpr int kPausesPerLook = 16;  // at the clock
  const auto begin = std::chrono::steady_clock::now();
  for (auto now = begin; now < begin + kYieldTime; now = std::chrono::steady_clock::now()) {
    if (now >= begin + kSpinTime) std::this_thread::yield();
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (state.load(std::memory_order_acquire) != value) return;
      Pause();
    }
  }
  state.wait(value, std::memory_order_acquire);
}

}  // namespace

int ThreadCount(int wanted) { return std::min(wanted > 0 ? wanted : AvailableCores(), 1024); }

ThreadPool::ThreadPool(int threads) : threads_(ThreadCount(threads)), shares_(static_cast<size_t>(threads_)) {}

ThreadPool::~ThreadPool() {
  for (int i = 0; i < worker_count_; ++i) {
    workers_[i].state.store(kStop, std::memory_order_release);
    workers_[i].state.notify_one();
  }
  for (int i = 0; i < worker_count_; ++i) workers_[i].thread.join();
}

void ThreadPool::Start() {
  started_ = true;
  workers_ = std::make_unique<Worker[]>(static_cast<size_t>(threads_ - 1));
  try {
    for (; worker_count_ < threads_ - 1; ++worker_count_) {
      const int thread = worker_count_ + 1;
      workers_[worker_count_].thread = std::thread([this, thread] { Work(thread); });
    }
  } catch (const std::system_error&) {
    // No more threads are available; continue with the existing ones.
  }
}

void ThreadPool::TakeParts(int thread) {
  for (int i = 0; i < taking_part_; ++i) {
    Share& share = shares_[static_cast<size_t>((thread + i) % taking_part_)];
    for (int64_t part; !cancelled() && (part = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;)
      function_(data_, part, thread);
  }
}

void ThreadPool::Run(int64_t parts, int threads, Function function, void* data) {
  if (!started_) Start();
  function_ = function;
  data_ = data;
  taking_part_ = std::min(threads, worker_count_ + 1);
  for (int64_t i = 0; i < taking_part_; ++i) {
    Share& share = shares_[static_cast<size_t>(i)];
    share.next.store(parts * i / taking_part_, std::memory_order_relaxed);
    share.end = parts * (i + 1) / taking_part_;
  }
  // The worker sees all writes above when it sees the offer.
  for (int i = 0; i + 1 < taking_part_; ++i) {
    workers_[i].state.store(kOffered, std::memory_order_release);
    workers_[i].state.notify_one();
  }
  TakeParts(0);
  // No part is left: withdraws offers that are not taken; working threads have their last part.
  for (int i = 0; i + 1 < taking_part_; ++i) {
    uint32_t offered = kOffered;
    if (workers_[i].state.compare_exchange_strong(offered, kIdle, std::memory_order_acq_rel)) continue;
    WaitWhile(workers_[i].state, kRunning);
  }
}

void ThreadPool::Work(int thread) {
  std::atomic<uint32_t>& state = workers_[thread - 1].state;
  while (true) {
    WaitWhile(state, kIdle);
    uint32_t offered = kOffered;
    if (!state.compare_exchange_strong(offered, kRunning, std::memory_order_acq_rel)) {
      if (offered == kStop) return;
      continue;  // withdrawn
    }
    TakeParts(thread);
    state.store(kIdle, std::memory_order_release);
    state.notify_one();
  }
}

}  // namespace hloir::cpu
