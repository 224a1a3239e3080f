// See cores.h.
#include "support/cores.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace hloir {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Removes a leading number and one blank from the text; returns the number, or 0 for "max", -1, and other text.
double TakeNumber(std::string_view& text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  text.remove_prefix(static_cast<size_t>(after - text.data()));
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return error == std::errc() && number > 0 ? static_cast<double>(number) : 0;
}

// Of one group; 0: none.
double GrantOf(const std::string& folder, bool unified) {
  const std::string quota_text = TextOf(folder + (unified ? "/cpu.max" : "/cpu.cfs_quota_us"));
  const std::string period_text = unified ? std::string() : TextOf(folder + "/cpu.cfs_period_us");
  std::string_view text = quota_text;
  const double quota = TakeNumber(text);
  if (!unified) text = period_text;
  const double period = quota > 0 ? TakeNumber(text) : 0;
  return period > 0 ? quota / period : 0;
}

// The minimum over a group and its ancestors, up to the mount.
double LeastGrant(const std::string& mount, std::string group, bool unified) {
  double least = 0;
  while (true) {
    const double grant = GrantOf(mount + group, unified);
    if (grant > 0 && (least == 0 || grant < least)) least = grant;
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

bool HasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

int ProcessorsOfMask() {
#if defined(__linux__)
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);  // fails beyond 1024 processors
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

double GrantedHere() {
#if defined(__linux__)
  return GrantedCores(TextOf("/proc/self/cgroup"), "/sys/fs/cgroup");
#else
  return 0;
#endif
}

}  // namespace

double GrantedCores(std::string_view groups, const std::string& mount) {
  double least = 0;
  while (!groups.empty()) {
    std::string_view line = groups.substr(0, groups.find('\n'));
    groups.remove_prefix(std::min(line.size() + 1, groups.size()));
    // NUMBER:CONTROLLERS:GROUP; version 2 names no controllers.
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string group(line.substr(second + 1));
    while (!group.empty() && group.back() == '/') group.pop_back();
    const bool unified = controllers.empty();
    if (!unified && !HasWord(controllers, "cpu")) continue;
    // Version 1 has a folder for each hierarchy, by its controllers' names or by one of them.
    for (const std::string& top :
         unified ? std::vector<std::string>{mount, mount + "/unified"}
                 : std::vector<std::string>{mount + "/" + std::string(controllers), mount + "/cpu"}) {
      const double grant = LeastGrant(top, group, unified);
      if (grant > 0 && (least == 0 || grant < least)) least = grant;
    }
  }
  return least;
}

int AvailableCores() {
  static const double granted = GrantedHere();
  const int processors = std::max(1, ProcessorsOfMask());
  // Rounds up: a fraction of a processor's time is worth another thread.
  return granted > 0 ? std::clamp(static_cast<int>(std::ceil(std::min(granted, 4096.0))), 1, processors) : processors;
}

}  // namespace hloir
