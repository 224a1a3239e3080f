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

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/stopwatch.h"

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

void WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(descriptor, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
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

Status ForEachInChild(size_t count, int jobs, double seconds, const std::function<int(size_t k, int descriptor)>& work,
                      const std::function<void(size_t k, ChildEnd end)>& done) {
  constexpr double kTimesByTheClock = 4;
  constexpr int kLook = 200;  // milliseconds
  struct Running {
    Child child;
    size_t k;
    ChildEnd end = {};
    Stopwatch watch = {};
  };
  std::vector<std::unique_ptr<Running>> running;
  for (size_t next = 0; next < count || !running.empty();) {
    while (next < count && running.size() < static_cast<size_t>(std::max(jobs, 1))) {
      HLOIR_ASSIGN_OR_RETURN(Child child, Child::Start([&](int descriptor) { return work(next, descriptor); }));
      running.push_back(std::make_unique<Running>(Running{std::move(child), next++}));
    }
    std::vector<pollfd> ends;
    for (const auto& each : running) ends.push_back({each->child.descriptor(), POLLIN, 0});
    poll(ends.data(), static_cast<nfds_t>(ends.size()), kLook);
    for (size_t at = ends.size(); at-- > 0;) {
      Running& one = *running[at];
      if (ends[at].revents == 0) {
        const bool late =
            one.child.CpuSeconds() > seconds || one.watch.Milliseconds() > 1000 * kTimesByTheClock * seconds;
        if (!late) continue;
        one.child.Kill();
        one.end.status = kTimedOut;
      } else if (one.child.Read(one.end.output)) {
        continue;
      }
      const int status = one.child.Wait();
      if (one.end.status != kTimedOut) one.end.status = status;
      one.end.seconds = one.watch.Milliseconds() / 1000;
      const std::unique_ptr<Running> over = std::move(running[at]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
      done(over->k, std::move(over->end));
    }
  }
  return OkStatus();
}

}  // namespace hloir::tool
