// The number of threads that can run at a time in this process: limited by its affinity mask (taskset, a batch system)
// and by its control groups (a container's limit). Tests: tests/unit/cores_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// At least 1. The mask is read each time; the control groups' limit, which takes some reads of files, once.
int AvailableCores();

// The limit of the control groups on processor time, in processors, possibly fractional; 0 without a limit. Reads
// version 2 (cpu.max) and version 1 (cpu.cfs_quota_us), for each group and its ancestors. `groups`: the text of
// /proc/self/cgroup; `mount`: the folder of the hierarchies, usually /sys/fs/cgroup. A group without a folder belongs
// to the host; then the top of the mount is the container's group.
double GrantedCores(std::string_view groups, const std::string& mount);

}  // namespace hloir
