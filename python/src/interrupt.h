// Ctrl-C during long calls: the library runs without the GIL and is cancelled; then Python's own handler of the signal
// runs.
#pragma once

#include <atomic>
#include <csignal>
#include <thread>

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
  auto result = [&] {
    const nanobind::gil_scoped_release released;
    const InterruptScope interrupts(cancel);
    return body();
  }();
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  return result;
}

}  // namespace hloir::python
