// A function in a separate process, so that a crash does not end this one: its output is read through a pipe. Start it
// while this process has one thread. Used by `fuzz run` and `reduce`.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "hloir/status.h"

namespace hloir::tool {

class Child {
 public:
  // `work` writes to the given descriptor; its result is the exit status.
  static StatusOr<Child> Start(const std::function<int(int descriptor)>& work);
  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;
  // Kills it if it still runs.
  ~Child();

  int descriptor() const { return descriptor_; }
  // Appends its output so far; false after the end of output.
  bool Read(std::string& text);
  // Its CPU time so far, which does not depend on other load.
  double CpuSeconds() const;
  void Kill();
  // Waits for its end: the exit status, or minus the signal that ended it.
  int Wait();

 private:
  Child() = default;
  pid_t pid_ = -1;
  int descriptor_ = -1;
};

// The exit status of `work`, or minus the signal that ended it; kTimedOut after `seconds`.
inline constexpr int kTimedOut = -1000;
StatusOr<int> RunInChild(const std::function<int()>& work, double seconds);

}  // namespace hloir::tool
