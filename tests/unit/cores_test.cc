// Limits of control groups, from generated hierarchies of both versions; and the affinity mask.
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "../../src/support/cores.h"
#include "tests/unit/catch.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace hloir {
namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("hloir_cores_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void Put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("cores: control groups, version 2") {
  const Folder folder;
  const std::string mount = folder.path();
  CHECK(GrantedCores("0::/a/b\n", mount) == 0);
  Put(mount + "/a/b/cpu.max", "max 100000\n");
  CHECK(GrantedCores("0::/a/b\n", mount) == 0);
  Put(mount + "/a/cpu.max", "150000 100000\n");
  CHECK(GrantedCores("0::/a/b\n", mount) == 1.5);
  Put(mount + "/a/b/cpu.max", "50000 100000\n");
  CHECK(GrantedCores("0::/a/b\n", mount) == 0.5);
  CHECK(GrantedCores("0::/a\n", mount) == 1.5);
  CHECK(GrantedCores("0::/elsewhere\n", mount) == 0);
  // In a container its own group is the top, and the path may be the host's.
  Put(mount + "/cpu.max", "300000 100000\n");
  CHECK(GrantedCores("0::/\n", mount) == 3);
  CHECK(GrantedCores("0::/docker/0123\n", mount) == 3);
}

TEST_CASE("cores: control groups, version 1") {
  const Folder folder;
  const std::string mount = folder.path();
  const std::string groups = "12:memory:/a\n4:cpu,cpuacct:/a\n1:name=systemd:/\n0::/\n";
  CHECK(GrantedCores(groups, mount) == 0);
  Put(mount + "/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  Put(mount + "/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  CHECK(GrantedCores(groups, mount) == 0);
  Put(mount + "/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  CHECK(GrantedCores(groups, mount) == 2.5);
  CHECK(GrantedCores("4:cpuset:/a\n", mount) == 0);
  Put(mount + "/cpu/a/cpu.cfs_quota_us", "20000\n");
  Put(mount + "/cpu/a/cpu.cfs_period_us", "10000\n");
  CHECK(GrantedCores(groups, mount) == 2);
}

TEST_CASE("cores: hostile texts are not limits") {
  const Folder folder;
  const std::string mount = folder.path();
  for (const char* text : {"", "\n", "x", "1e999 1", "5 0", "-5 -5", "nan nan", "100000"}) {
    Put(mount + "/cpu.max", text);
    CHECK(GrantedCores("0::/\n", mount) == 0);
  }
  for (const char* groups : {"", ":", "::", "0:", "0:cpu", "\n\n", "0::///"}) CHECK(GrantedCores(groups, mount) == 0);
}

TEST_CASE("cores: the affinity mask") {
  CHECK(AvailableCores() >= 1);
#if defined(__linux__)
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const int cores = AvailableCores();
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(cores == 1);
#endif
}

}  // namespace hloir
