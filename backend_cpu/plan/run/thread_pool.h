// ThreadPool: runs f(0) … f(parts-1) on a fixed set of threads and waits for all. Which thread takes which part is
// free, so the parts, not the threads, must decide what is computed; then results are the same for any number of
// threads. Each thread begins with its own share, a run of neighbours, so that what one step has left in a core's cache
// the next finds there; who is done early takes from the others.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace hloir::cpu {

class ThreadPool {
 public:
  // `threads` in all, the caller's among them; 0: as many as the machine has. They start with the first parallel work.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // f(part, thread) for each part; thread < threads(). No allocation, so f is a plain function and its data.
  using Function = void (*)(void* data, int64_t part, int thread);
  void Run(int64_t parts, Function function, void* data);
  template <class F>
  void For(int64_t parts, F&& f) {
    if (parts == 1 || threads_ == 1) {
      for (int64_t i = 0; i < parts; ++i) f(i, 0);
      return;
    }
    Run(
        parts,
        [](void* data, int64_t part, int thread) { (*static_cast<std::remove_reference_t<F>*>(data))(part, thread); },
        const_cast<void*>(static_cast<const void*>(&f)));
  }

 private:
  void Start();
  void Work(int thread);
  void TakeParts(int thread);

  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  int threads_;
  bool started_ = false;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> round_{0};  // odd bits never matter: a new value means new work
  std::atomic<bool> stop_{false};
  std::atomic<int> sleeping_{0};
  std::atomic<int> working_{0};  // workers that have not finished the round
  std::vector<Share> shares_;    // one a thread
  Function function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace hloir::cpu
