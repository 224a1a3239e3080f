// The number of threads that can run at a time in this process: limited by its affinity mask (taskset, a batch system)
// and by the time that its control groups grant (a container's limit). Tests: tests/unit/cores_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// At least 1. The mask is read each time; the control groups' limit, which takes some reads of files, once.
int AvailableCores();

// The processors' worth of time that the control groups grant, as a fraction; 0 if they set no limit. Of version 2
// (cpu.max) and version 1 (cpu.cfs_quota_us), each group's own and those of all above it. `groups`: the text of
// /proc/self/cgroup; `mount`: where the hierarchies are, usually /sys/fs/cgroup. A group whose folder is not there
// belongs to the host; then the mount's top is the container's own.
double GrantedCores(std::string_view groups, const std::string& mount);

}  // namespace hloir
