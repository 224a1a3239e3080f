// How many threads can really run at a time in this process: no more than its affinity mask has processors (taskset, a
// batch system), nor than its control groups grant it time (a container's limit). Tests: tests/unit/cores_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// At least 1. The mask is asked for anew each time; the control groups' limit, which costs some reads of files, once.
int AvailableCores();

// The processors' worth of time that the control groups grant, as a fraction; 0 if they set no limit. Of version 2
// (cpu.max) and version 1 (cpu.cfs_quota_us), each group's own and those of all above it. `groups`: the text of
// /proc/self/cgroup; `mount`: where the hierarchies are, usually /sys/fs/cgroup. A group whose folder is not there
// belongs to the host; then the mount's top is the container's own.
double GrantedCores(std::string_view groups, const std::string& mount);

}  // namespace hloir
