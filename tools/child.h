// A function in a separate process, so that a crash does not end this one: its output is read through a pipe. Start it
// while this process has one thread. Used by `fuzz run`, `reduce`, `triage` and `blame`.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

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

// Writes all of `text`, for the work of a child; ends at the first error, as when the reader is gone.
void WriteAll(int descriptor, std::string_view text);

// The exit status of `work`, or minus the signal that ended it; kTimedOut after `seconds`.
inline constexpr int kTimedOut = -1000;
StatusOr<int> RunInChild(const std::function<int()>& work, double seconds);

// The end of one of ForEachInChild's processes.
struct ChildEnd {
  std::string output;
  int status = 0;  // the exit status, or minus the signal that it died of; kTimedOut: it took too long
  double seconds = 0;
};
// work(k, descriptor) for each k below `count`, each in a process of its own, `jobs` at a time, and done(k, end) once
// it is over. A process is killed after so many seconds of processor time, or four times as many by the clock.
Status ForEachInChild(size_t count, int jobs, double seconds, const std::function<int(size_t k, int descriptor)>& work,
                      const std::function<void(size_t k, ChildEnd end)>& done);

}  // namespace hloir::tool
