// See child.h.
#include "tools/child.h"

#include <poll.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace hloir::tool {

StatusOr<Child> Child::Start(const std::function<int(int descriptor)>& work) {
  int ends[2];
  if (pipe(ends) != 0) return ResourceExhausted(fmt::format("no pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]), close(ends[1]);
    return ResourceExhausted(fmt::format("no process: {}", std::strerror(errno)));
  }
  if (pid == 0) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no process would read its results
#endif
    close(ends[0]);
    _exit(work(ends[1]));
  }
  close(ends[1]);
  Child child;
  child.pid_ = pid, child.descriptor_ = ends[0];
  return child;
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Child::~Child() {
  if (pid_ > 0) Kill(), (void)Wait();
  if (descriptor_ >= 0) close(descriptor_);
}

bool Child::Read(std::string& text) {
  char buffer[4096];
  const ssize_t n = read(descriptor_, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR;
  text.append(buffer, static_cast<size_t>(n));
  return n > 0;
}

double Child::CpuSeconds() const {
  clockid_t clock;
  timespec time = {};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Child::Kill() { kill(pid_, SIGKILL); }

int Child::Wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

StatusOr<int> RunInChild(const std::function<int()>& work, double seconds) {
  HLOIR_ASSIGN_OR_RETURN(Child child, Child::Start([&](int) { return work(); }));
  pollfd wait{child.descriptor(), POLLIN, 0};
  if (poll(&wait, 1, static_cast<int>(seconds * 1000)) == 0) {
    child.Kill();
    (void)child.Wait();
    return kTimedOut;
  }
  return child.Wait();
}

}  // namespace hloir::tool
