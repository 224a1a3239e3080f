// Dump folders: assignment of files to modules and stages, changes, and wrong stages.
#include "inspect/dumps.h"

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
    CHECK(module.snapshots.size() == 1);
    CHECK(module.others == 2);
    CHECK(module.xla_memory.total == 77);
    CHECK(module.memory.total == 16);
    CHECK(module.stages[0].count.instructions == 3);
    const auto verdict = VerifyStages(module);
    REQUIRE(verdict.ok());
    CHECK(verdict->stages == 1);
    CHECK(verdict->guilty == -1);
  }
}

TEST_CASE("what each stage changed is told, instruction by instruction") {
  const Folder folder;
  folder.Write("module_0001.f.before_optimizations.txt", kModule);
  folder.Write("module_0001.f.0001.p.after_none.txt", kModule);
  folder.Write("module_0001.f.0002.p.after_simplify.txt", kRight);
  folder.Write("module_0001.f.0003.p.after_broken.txt", "HloModule m\nENTRY e {");
  folder.Write("module_0001.f.0004.p.after_illegal.txt",
               "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT n = f32[5]{0} negate(x)\n}\n");
  folder.Write("module_0001.f.0005.p.after_again.txt", kRight);
  const auto dumps = ReadDumps(folder.path());
  REQUIRE(dumps.ok());
  const std::vector<std::string> changes = StageChanges(dumps->modules[0]);
  REQUIRE(changes.size() == 6);
  CHECK(changes[0].empty());
  CHECK(changes[1].empty());
  CHECK(changes[2].find("- n = f32[4]{0} negate(x)") != std::string::npos);
  CHECK(changes[2].find("- r = f32[4]{0} negate(n)\n  => x\n") != std::string::npos);
  CHECK(changes[3].empty());
  CHECK(changes[4].find("the verifier refuses it") != std::string::npos);
  CHECK(changes[5].find("the verifier refuses it") != std::string::npos);
  // The page has them by stage.
  const std::string page = DumpPage(*dumps);
  CHECK(page.find("- r = f32[4]{0} negate(n)\\n  =\\u003e x") != std::string::npos);
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

TEST_CASE("what is not a dump folder is refused") {
  CHECK(!ReadDumps("/dev/null").ok());
  const Folder folder;
  CHECK(!ReadDumps(folder.path()).ok());
}

TEST_CASE("XLA's buffer assignment is read, and stands beside ours") {
  const Folder folder;
  folder.Write("module_0001.f.before_optimizations.txt", kModule);
  folder.Write("module_0001.f.cpu_after_optimizations-buffer-assignment.txt",
               "BufferAssignment:\nallocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n"
               " value: <1 x @0> (size=16,offset=0): f32[4]{0}\n"
               "allocation 1: size 16, output shape is |f32[4]|, maybe-live-out:\n value: <3 r @0> (size=16,offset=0): "
               "f32[4]{0}\nallocation 2: size 4, constant:\n value: <9 c @0> (size=4,offset=0): f32[]\n"
               "allocation 3: size 192, preallocated-temp:\n value: <2 n @0> (size=16,offset=0): f32[4]{0}\n"
               " value: <4 m @0> (size=16,offset=64): f32[4]{0}\n\nTotal bytes used: 228 (228B)\n");
  const auto dumps = ReadDumps(folder.path());
  REQUIRE(dumps.ok());
  const DumpFolder::Memory& memory = dumps->modules[0].xla_memory;
  CHECK(memory.parameters == 16);
  CHECK(memory.constants == 4);
  CHECK(memory.others == 208);
  CHECK(memory.total == 228);
  REQUIRE(memory.allocations.size() == 4);
  CHECK(memory.allocations[0].what == "preallocated-temp");
  CHECK(memory.allocations[0].values == 2);
  CHECK(memory.allocations[1].what == "parameter 0");
  CHECK(memory.allocations[2].what == "maybe-live-out");
  const DumpFolder::Memory& ours = dumps->modules[0].memory;
  CHECK(ours.parameters == 16);
  CHECK(ours.parameters + ours.constants + ours.others == ours.total);
}

TEST_CASE("a harvest has each structure once, without metadata, and says where it comes from") {
  const Folder folder;
  const std::string marked =
      "HloModule other\n\nFileNames\n1 \"secret.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n1 {file_name_id=1 "
      "function_name_id=1 line=1}\n\nStackFrames\n1 {file_location_id=1}\n\nENTRY e2 {\n  y = f32[4]{0} "
      "parameter(0)\n  a = f32[4]{0} negate(y), metadata={op_name=\"secret\" stack_frame_id=1}\n  ROOT b = f32[4]{0} "
      "negate(a), metadata={op_name=\"secret\"}\n}\n";
  folder.Write("module_0001.f.before_optimizations.txt", marked);
  folder.Write("module_0002.g.before_optimizations.txt", kModule);
  folder.Write("module_0002.g.cpu_after_optimizations.txt", kRight);
  const auto dumps = ReadDumps(folder.path());
  REQUIRE(dumps.ok());
  const std::string out = folder.path() + "/set";
  for (int round = 0; round < 2; ++round) {
    const auto harvest = HarvestDumps(*dumps, out);
    REQUIRE(harvest.ok());
    CHECK(harvest->stages == 3);
    CHECK(harvest->modules == 2);
    CHECK(harvest->duplicates == 1);
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    if (entry.path().extension() != ".hlo") continue;
    ++files;
    const auto text = ReadFile(entry.path().string());
    REQUIRE(text.ok());
    CHECK(text->find("secret") == std::string::npos);
    CHECK(ReadModule(entry.path().string()).ok());
  }
  CHECK(files == 2);
  const auto index = ReadFile(out + "/index.json");
  REQUIRE(index.ok());
  CHECK(
      index->find("{\"module\":\"module_0001.f\",\"stage\":\"before_optimizations\"},{\"module\":\"module_0002.g\"") !=
      std::string::npos);
  CHECK_FALSE(HarvestDumps(*dumps, "/proc/no/such").ok());
}

TEST_CASE("snapshots are run, and held against what they have stored") {
  const Folder folder;
  const auto write = [&](const std::string& name, float result) {
    auto parsed = ParseModuleFile(kWrong);
    REQUIRE(parsed.ok());
    StoredValues values;
    for (const float first : {2.0f, result}) {
      Literal literal(Shape::Array(PrimitiveType::F32, {4}));
      for (int i = 0; i < 4; ++i) literal.data<float>()[i] = i == 0 ? first : 0;
      (values.inputs.empty() ? values.inputs : values.results).push_back(std::move(literal));
    }
    REQUIRE(SetStoredValues(std::move(values), *parsed).ok());
    REQUIRE(WriteModuleFile(*parsed, folder.path() + "/" + name).ok());
  };
  write("module_0001.f.snapshot.1.pb", -2);
  write("module_0001.f.snapshot.2.pb", 5);
  folder.Write("module_0001.f.snapshot.3.pb", "?");
  const auto dumps = ReadDumps(folder.path());
  REQUIRE(dumps.ok());
  const std::vector<SnapshotVerdict> verdicts = RunSnapshots(dumps->modules[0]);
  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[0].has_results);
  CHECK(verdicts[0].comparison.agree);
  CHECK_FALSE(verdicts[1].comparison.agree);
  CHECK_FALSE(verdicts[2].status.ok());
}

TEST_CASE("a module that is not legal is counted, and no more") {
  const Folder folder;
  folder.Write("module_0001.f.before_optimizations.txt",
               "HloModule m\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT r = f32[2,2]{1,0} transpose(x), "
               "dimensions={3,1}\n}\n");
  folder.Write("module_0001.f.cpu_after_optimizations.txt", kRight);
  const auto dumps = ReadDumps(folder.path());
  REQUIRE(dumps.ok());
  const auto& stages = dumps->modules[0].stages;
  REQUIRE(stages.size() == 2);
  REQUIRE(stages[0].status.ok());
  CHECK_FALSE(stages[0].legal);
  CHECK(stages[0].count.instructions == 2);
  CHECK(stages[1].legal);
  CHECK(DumpPage(*dumps).find("\"illegal\":true") != std::string::npos);
}
