// Ctrl-C during long calls: the library runs without the GIL and is cancelled; then Python's own handler of the signal
// runs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

namespace hloir::python {

// While one lives, SIGINT also sets `cancel`. For the main thread, which is the one that signals are for, and one at a
// time: elsewhere a call is not interrupted, as is usual in Python.
class InterruptScope {
 public:
  explicit InterruptScope(std::atomic<bool>& cancel) {
    if (std::this_thread::get_id() != main_ || target_ != nullptr) return;
    struct sigaction now {};
    if (sigaction(SIGINT, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0) return;
    if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
    active_ = true;
    pythons_ = now.sa_handler;
    target_ = &cancel;
    struct sigaction mine {};
    mine.sa_handler = [](int signal) {
      if (std::atomic<bool>* cancel = target_) cancel->store(true);
      pythons_(signal);  // it notes the signal, and no more
    };
    old_ = now;
    sigaction(SIGINT, &mine, nullptr);
  }
  ~InterruptScope() {
    if (!active_) return;
    sigaction(SIGINT, &old_, nullptr);
    target_ = nullptr;
  }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  static inline const std::thread::id main_ = std::this_thread::get_id();
  static inline std::atomic<std::atomic<bool>*> target_ = nullptr;
  static inline void (*pythons_)(int) = nullptr;
  bool active_ = false;
  struct sigaction old_ {};
};

// Runs body(cancel) without the GIL. Then, if a signal came, raises the exception of Python's handler.
template <class Body>
auto Interruptible(std::atomic<bool>& cancel, const Body& body) {
  cancel = false;
  const InterruptScope interrupts(cancel);
  // A signal that came before the scope did not set `cancel`.
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  auto result = [&] {
    const nanobind::gil_scoped_release released;
    return body();
  }();
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  return result;
}

// Threads whose caller went on at Ctrl-C. They end soon, as their work is cancelled; the process waits for them at its
// end.
class Abandoned {
 public:
  static void Keep(std::thread thread) {
    const std::lock_guard lock(mutex_);
    threads_->push_back(std::move(thread));
  }
  static void Join() {
    const nanobind::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    for (std::thread& thread : *threads_) thread.join();
    threads_->clear();
  }

 private:
  static inline std::mutex mutex_;
  static inline std::vector<std::thread>* const threads_ = new std::vector<std::thread>;
};

// As Interruptible, for work that asks seldom whether it is cancelled: body() runs in a thread of its own, which is
// left alone if it goes on after Ctrl-C. So it owns all that it uses, `cancel` included, and nobody else changes that.
template <class Body>
auto Detachable(const std::shared_ptr<std::atomic<bool>>& cancel, Body body) {
  using Result = decltype(body());
  struct Work {
    std::mutex mutex;
    std::condition_variable done;
    std::optional<Result> result;
  };
  constexpr std::chrono::milliseconds kLook{20}, kPatience{80};
  const auto work = std::make_shared<Work>();
  const InterruptScope interrupts(*cancel);
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();  // as above
  std::thread thread([work, body = std::move(body)]() mutable {
    Result result = body();
    const std::lock_guard lock(work->mutex);
    work->result.emplace(std::move(result));
    work->done.notify_one();
  });
  bool finished = false;
  {
    const nanobind::gil_scoped_release released;
    std::unique_lock lock(work->mutex);
    const auto has_result = [&] { return work->result.has_value(); };
    while (!finished && !*cancel) finished = work->done.wait_for(lock, kLook, has_result);
    if (!finished) finished = work->done.wait_for(lock, kPatience, has_result);
  }
  if (!finished && PyErr_CheckSignals() != 0) {
    Abandoned::Keep(std::move(thread));
    throw nanobind::python_error();
  }
  {
    const nanobind::gil_scoped_release released;
    thread.join();
  }
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  return std::move(*work->result);
}

}  // namespace hloir::python
