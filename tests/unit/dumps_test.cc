// Dump folders: which file is which stage of which module, what changed, and which stage is wrong.
#include "hloir/inspect/dumps.h"

#include <unistd.h>

#include <filesystem>

#include "hloir/io.h"
#include "tests/unit/catch.h"

using namespace hloir;

namespace {

constexpr char kModule[] =
    "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  n = f32[4]{0} negate(x)\n  ROOT r = f32[4]{0} "
    "negate(n)\n}\n";
constexpr char kRight[] = "HloModule m\nENTRY e {\n  ROOT x = f32[4]{0} parameter(0)\n}\n";
constexpr char kWrong[] = "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT n = f32[4]{0} negate(x)\n}\n";

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("hloir_dumps_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void Write(const std::string& name, const std::string& text) const {
    REQUIRE(WriteFile((path_ / name).string(), text).ok());
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("stages come in the order in which the passes ran, and what changed nothing says so") {
  const Folder folder;
  folder.Write("module_0007.jit_a.b.cpu_after_optimizations.txt", kRight);
  folder.Write("module_0007.jit_a.b.0010.p.after_y.before_z.txt", kRight);
  folder.Write("module_0007.jit_a.b.0009.p_after_q.after_x.before_y.txt", kModule);
  folder.Write("module_0007.jit_a.b.before_optimizations.txt", kModule);
  folder.Write("module_0007.jit_a.b.cpu_after_optimizations-memory-usage-report.txt",
               "Memory Space: default (color=0)\nTotal bytes: 70 (70B)\n\nMemory Space: 1\nTotal bytes: 7 (7B)\n");
  folder.Write("module_0007.jit_a.b.debug_options", "");
  folder.Write("module_0007.jit_a.b.snapshot.0.pb", "");
  for (const int threads : {1, 3}) {
    ReadDumpsOptions options;
    options.threads = threads;
    const auto dumps = ReadDumps(folder.path(), options);
    REQUIRE(dumps.ok());
    CHECK(dumps->files == 7);
    REQUIRE(dumps->modules.size() == 1);
    const DumpFolder::Module& module = dumps->modules[0];
    CHECK(module.name == "module_0007.jit_a.b");
    std::vector<std::pair<std::string, bool>> stages;
    for (const DumpFolder::Stage& stage : module.stages) stages.push_back({stage.name, stage.changed});
    CHECK(stages == std::vector<std::pair<std::string, bool>>{{"before_optimizations", true},
                                                              {"p_after_q: x", false},
                                                              {"p: y", true},
                                                              {"cpu_after_optimizations", false}});
    CHECK(module.snapshots == 1);
    CHECK(module.others == 2);
    CHECK(module.xla_memory == 77);
    CHECK(module.memory == 16);
    CHECK(module.stages[0].count.instructions == 3);
    const auto verdict = VerifyStages(module);
    REQUIRE(verdict.ok());
    CHECK(verdict->stages == 1);
    CHECK(verdict->guilty == -1);
  }
}

TEST_CASE("the first stage that changed the result is named") {
  const Folder folder;
  folder.Write("module_0001.f.before_optimizations.txt", kModule);
  folder.Write("module_0001.f.0001.p.after_good.txt", kRight);
  folder.Write("module_0001.f.0002.p.after_bad.txt", kWrong);
  folder.Write("module_0001.f.cpu_after_optimizations.txt", kWrong);
  folder.Write("module_0001.f.0003.p.after_broken.txt", "HloModule m\nENTRY e {\n");
  ReadDumpsOptions options;
  options.find = "negate";
  const auto dumps = ReadDumps(folder.path(), options);
  REQUIRE(dumps.ok());
  const DumpFolder::Module& module = dumps->modules[0];
  CHECK(module.stages[0].found.size() == 2);
  CHECK(module.stages[1].found.empty());
  CHECK(!module.stages[3].status.ok());
  const auto verdict = VerifyStages(module);
  REQUIRE(verdict.ok());
  REQUIRE(verdict->guilty == 2);
  CHECK(module.stages[2].name == "p: bad");
  CHECK(!verdict->verdict.agrees());
}

TEST_CASE("what is no dump folder is refused") {
  CHECK(!ReadDumps("/dev/null").ok());
  const Folder folder;
  CHECK(!ReadDumps(folder.path()).ok());
}
