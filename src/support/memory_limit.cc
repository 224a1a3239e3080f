// See hloir/memory_limit.h.
#include "hloir/memory_limit.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace hloir {
namespace {

std::atomic<uint64_t> limit_in_force = 0;

}  // namespace

Status LimitMemory(uint64_t bytes) {
#ifdef __linux__
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0)
    return Unimplemented(std::string("no limit of memory: ") + std::strerror(errno));
  static const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = bytes == 0 ? before : std::min<rlim_t>(bytes, limit.rlim_max);
  if (setrlimit(RLIMIT_DATA, &limit) != 0)
    return Unimplemented(std::string("no limit of memory: ") + std::strerror(errno));
  limit_in_force = bytes == 0 ? 0 : limit.rlim_cur;
  return OkStatus();
#else
  (void)bytes;
  return Unimplemented("this system has no limit of memory");
#endif
}

uint64_t MemoryLimit() { return limit_in_force; }

uint64_t MemoryLimitForFiles(uint64_t bytes, uint64_t largest, bool serves) {
  constexpr uint64_t kAlways = uint64_t{768} << 20, kTimesFiles = 64, kSmallFile = 100000;
  const uint64_t limit = kAlways + kTimesFiles * std::min(bytes, UINT64_MAX / (2 * kTimesFiles));
#ifdef __linux__
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if ((serves || largest > kSmallFile) && pages > 0 && page > 0)
    return std::max(limit, static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) / 2);
#else
  (void)largest, (void)serves;
#endif
  return limit;
}

}  // namespace hloir
