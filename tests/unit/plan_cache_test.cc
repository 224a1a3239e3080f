// PlanCache: what a folder keeps of preparing under a limit of memory, and what it does not take for that.
#include "hloir/plan_cache.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hloir/executable.h"
#include "hloir/hloir_c.h"
#include "hloir/version.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

// A chain of products whose values the way back needs: its plan takes less if some are computed again.
std::string ChainText(const std::string& op = "tanh") {
  std::string text = "HloModule chain\nENTRY e {\n  x0 = f32[64,64] parameter(0)\n";
  for (int i = 1; i <= 8; ++i) {
    const std::string n = std::to_string(i);
    text += "  p" + n + " = f32[64,64] dot(x" + std::to_string(i - 1) +
            ", x0), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    text += "  x" + n + " = f32[64,64] " + op + "(p" + n + ")\n";
  }
  text += "  g8 = f32[64,64] negate(x8)\n";
  for (int i = 7; i >= 0; --i) {
    const std::string n = std::to_string(i), m = std::to_string(i + 1);
    text += "  h" + n + " = f32[64,64] multiply(g" + m + ", x" + m + ")\n  ";
    text += (i == 0 ? "ROOT g" : "g") + n + " = f32[64,64] dot(h" + n + ", x" + n +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  }
  return text + "}\n";
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/hloir-plans-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path_)) files.push_back(entry.path());
    return files;
  }

 private:
  std::string path_;
};

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
void Write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

RunnerOptions Limited() {
  RunnerOptions options;
  options.threads = 1;
  const auto module = Parse(ChainText());
  const StatusOr<Runner> free = Runner::Prepare(*module, options);
  REQUIRE(free.ok());
  options.memory_limit = free->arena_bytes() * 3 / 4;
  return options;
}

// The result's bytes on some numbers.
std::string ResultOf(Runner& runner) {
  Literal x(Shape::Array(PrimitiveType::F32, {64, 64}));
  for (int64_t i = 0; i < x.element_count(); ++i) x.data<float>()[i] = static_cast<float>(i % 37 - 18) / 64;
  const Literal* arguments[] = {&x};
  const StatusOr<Literal> result = runner.Run(arguments);
  REQUIRE(result.ok());
  return std::string(reinterpret_cast<const char*>(result->untyped_data()), static_cast<size_t>(result->size_bytes()));
}

}  // namespace

TEST_CASE("a plan under a limit is written once and read afterwards, with the same results") {
  const Folder folder;
  const auto module = Parse(ChainText());
  const RunnerOptions options = Limited();
  StatusOr<Runner> plain = Runner::Prepare(*module, options);
  REQUIRE(plain.ok());
  PlanCache first(folder.path()), second(folder.path());
  StatusOr<Runner> made = first.Prepare(*module, options);
  REQUIRE(made.ok());
  CHECK_FALSE(first.was_read());
  CHECK(first.message().empty());
  CHECK(first.added_instructions() == plain->added_instructions());
  REQUIRE(folder.Files().size() == 1);
  StatusOr<Runner> read = second.Prepare(*module, options);
  REQUIRE(read.ok());
  CHECK(second.was_read());
  CHECK(second.added_instructions() == plain->added_instructions());
  CHECK(read->arena_bytes() == plain->arena_bytes());
  const std::string wanted = ResultOf(*plain);
  CHECK(ResultOf(*made) == wanted);
  CHECK(ResultOf(*read) == wanted);
}

TEST_CASE("a plan is read for its own module, options and version alone") {
  const Folder folder;
  const auto module = Parse(ChainText()), other = Parse(ChainText("sine"));
  const RunnerOptions options = Limited();
  PlanCache cache(folder.path());
  REQUIRE(cache.Prepare(*module, options).ok());
  REQUIRE(folder.Files().size() == 1);
  const fs::path path = folder.Files()[0];
  const std::string good = Read(path);

  StatusOr<Runner> of_other = cache.Prepare(*other, options);
  REQUIRE(of_other.ok());
  CHECK_FALSE(cache.was_read());
  StatusOr<Runner> plain = Runner::Prepare(*other, options);
  REQUIRE(plain.ok());
  CHECK(ResultOf(*of_other) == ResultOf(*plain));
  for (const std::string& isa : SupportedIsas()) {
    if (isa == SupportedIsas().back()) continue;
    RunnerOptions forced = options;
    forced.isa = isa;
    REQUIRE(cache.Prepare(*module, forced).ok());
    CHECK_FALSE(cache.was_read());
  }
  RunnerOptions less = options;
  less.memory_limit -= 64;
  REQUIRE(cache.Prepare(*module, less).ok());
  CHECK_FALSE(cache.was_read());
  REQUIRE(cache.Prepare(*module, options).ok());
  CHECK(cache.was_read());

  // Another module's file, and another version's, under this one's name.
  for (const fs::path& file : folder.Files()) {
    if (file == path) continue;
    Write(path, Read(file));
    REQUIRE(cache.Prepare(*module, options).ok());
    CHECK_FALSE(cache.was_read());
    CHECK_FALSE(cache.message().empty());
  }
  std::string version = good;
  const size_t at = version.find(kVersion);
  REQUIRE(at != std::string::npos);
  version.replace(at, std::strlen(kVersion), "9.9.9");
  Write(path, version);
  REQUIRE(cache.Prepare(*module, options).ok());
  CHECK_FALSE(cache.was_read());
  CHECK(cache.message().find("another version") != std::string::npos);
  CHECK(Read(path) == good);  // written anew
}

TEST_CASE("a damaged plan is not used") {
  const Folder folder;
  const auto module = Parse(ChainText());
  const RunnerOptions options = Limited();
  PlanCache cache(folder.path());
  REQUIRE(cache.Prepare(*module, options).ok());
  const fs::path path = folder.Files()[0];
  const std::string good = Read(path);
  std::vector<std::string> damaged = {"", "x", "hloir plan 1\n", good + good, good + " "};
  for (size_t part = 1; part < 8; ++part) damaged.push_back(good.substr(0, good.size() * part / 8));
  for (size_t at = 0; at < good.size(); at += good.size() / 40) {
    damaged.push_back(good);
    damaged.back()[at] ^= 1;
  }
  for (const std::string& text : damaged) {
    Write(path, text);
    StatusOr<Runner> runner = cache.Prepare(*module, options);
    REQUIRE(runner.ok());
    CHECK_FALSE(cache.was_read());
    CHECK(cache.message().find("is not used") != std::string::npos);
    CHECK(Read(path) == good);
  }
}

TEST_CASE("a folder that cannot be written is told, and the plan runs") {
  const auto module = Parse(ChainText());
  PlanCache cache("/dev/null/plans");
  StatusOr<Runner> runner = cache.Prepare(*module, Limited());
  REQUIRE(runner.ok());
  CHECK(cache.message().find("cannot be written") != std::string::npos);
}

TEST_CASE("processes that share a folder never read half a plan") {
  const Folder folder;
  const auto module = Parse(ChainText());
  const RunnerOptions options = Limited();
  std::vector<pid_t> children;
  for (int k = 0; k < 2; ++k) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 10; ++round) {
        PlanCache cache(folder.path());
        good = good && cache.Prepare(*module, options).ok() && cache.message().empty();
        std::error_code ignored;  // the other process may have removed it
        for (const fs::path& path : folder.Files())
          if (path.extension() == ".plan") fs::remove(path, ignored);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

namespace {

// Loops with all that they may have: reductions, narrow floats, iotas, reversed and strided operands, scalars,
// constants, a loop and a branch with bodies of their own.
constexpr const char* kLoops = R"(HloModule loops
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] maximum(a, b) }
condition { t = (s32[], f32[64,64]) parameter(0) i = s32[] get-tuple-element(t), index=0 n = s32[] constant(3) ROOT l = pred[] compare(i, n), direction=LT }
body {
  t = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[64,64] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[64,64] tanh(x)
  z = f32[64,64] multiply(y, x)
  ROOT r = (s32[], f32[64,64]) tuple(j, z)
}
yes { x = f32[64,64] parameter(0) ROOT y = f32[64,64] exponential(x) }
no { x = f32[64,64] parameter(0) c = f32[] constant(0.5) d = f32[64,64] broadcast(c), dimensions={} ROOT y = f32[64,64] add(x, d) }
ENTRY e {
  x0 = f32[64,64] parameter(0)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  weights = f32[64] constant({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8})
  rows = f32[64] reduce(x0, zero), dimensions={1}, to_apply=add
  columns = f32[64] reduce(x0, low), dimensions={0}, to_apply=most
  weighted = f32[64] multiply(rows, weights)
  r = f32[64,64] broadcast(weighted), dimensions={0}
  c = f32[64,64] broadcast(columns), dimensions={1}
  n = s32[64,64] iota(), iota_dimension=1
  f = f32[64,64] convert(n)
  b = bf16[64,64] convert(x0)
  bb = bf16[64,64] multiply(b, b)
  wide = f32[64,64] convert(bb)
  back = f32[64,64] reverse(x0), dimensions={1}
  turned = f32[64,64] transpose(x0), dimensions={1,0}
  sum1 = f32[64,64] add(r, c)
  sum2 = f32[64,64] subtract(f, wide)
  sum3 = f32[64,64] add(back, turned)
  sum4 = f32[64,64] multiply(sum1, sum2)
  sum5 = f32[64,64] add(sum4, sum3)
  i0 = s32[] constant(0)
  t = (s32[], f32[64,64]) tuple(i0, sum5)
  w = (s32[], f32[64,64]) while(t), condition=condition, body=body
  v = f32[64,64] get-tuple-element(w), index=1
  total = f32[] reduce(v, zero), dimensions={0,1}, to_apply=add
  p = pred[] compare(total, zero), direction=GT
  ROOT out = f32[64,64] conditional(p, v, x0), true_computation=yes, false_computation=no
}
)";

// A constant of the module is changed, one beyond those that are printed.
std::string WithOtherWeight() {
  std::string text = kLoops;
  const size_t at = text.rfind("0.8})");
  REQUIRE(at != std::string::npos);
  return text.replace(at, 3, "0.9");
}

std::string PlanText(const HloModule& module, const std::string& cache, CacheUse* use) {
  ExecutableOptions options;
  options.threads = 1;
  options.cache = cache;
  const auto executable = PrepareExecutable(module, options);
  REQUIRE(executable.ok());
  *use = (*executable)->cache_use();
  return (*executable)->ToString();
}

}  // namespace

TEST_CASE("a plan without a limit is read with the same steps, places and results") {
  for (const std::string& isa : SupportedIsas()) {
    INFO(isa);
    const Folder folder;
    const auto module = Parse(kLoops);
    RunnerOptions options;
    options.threads = 1;
    options.isa = isa;
    StatusOr<Runner> plain = Runner::Prepare(*module, options);
    REQUIRE(plain.ok());
    const std::string wanted = ResultOf(*plain);
    for (const bool is_second : {false, true}) {
      PlanCache cache(folder.path());
      StatusOr<Runner> runner = cache.Prepare(*module, options);
      REQUIRE(runner.ok());
      CHECK(cache.message().empty());
      CHECK(cache.was_read() == is_second);
      CHECK(runner->arena_bytes() == plain->arena_bytes());
      CHECK(ResultOf(*runner) == wanted);
    }
    CHECK(folder.Files().size() == 1);
  }
  const Folder folder;
  const auto module = Parse(kLoops);
  CacheUse use;
  const std::string plain = PlanText(*module, "", &use);
  CHECK_FALSE(use.was_read);
  CHECK(PlanText(*module, folder.path(), &use) == plain);
  CHECK_FALSE(use.was_read);
  CHECK(PlanText(*module, folder.path(), &use) == plain);
  CHECK(use.was_read);
}

TEST_CASE("a plan without a limit is for its own module, machine and options") {
  const Folder folder;
  const auto module = Parse(kLoops), other = Parse(WithOtherWeight());
  RunnerOptions options;
  options.threads = 1;
  PlanCache cache(folder.path());
  REQUIRE(cache.Prepare(*module, options).ok());
  const fs::path path = folder.Files()[0];
  const std::string good = Read(path);
  StatusOr<Runner> of_other = cache.Prepare(*other, options);
  REQUIRE(of_other.ok());
  CHECK_FALSE(cache.was_read());
  RunnerOptions unfused = options, row_major = options, threads = options;
  unfused.fuse = false;
  row_major.choose_layouts = false;
  threads.threads = 2;
  for (const RunnerOptions& changed : {unfused, row_major, threads}) {
    StatusOr<Runner> plain = Runner::Prepare(*module, changed);
    REQUIRE(plain.ok());
    StatusOr<Runner> runner = cache.Prepare(*module, changed);
    REQUIRE(runner.ok());
    CHECK_FALSE(cache.was_read());
    CHECK(ResultOf(*runner) == ResultOf(*plain));
  }
  // Files of others under this one's name.
  for (const fs::path& file : folder.Files()) {
    if (file == path) continue;
    Write(path, Read(file));
    REQUIRE(cache.Prepare(*module, options).ok());
    CHECK_FALSE(cache.was_read());
    CHECK(cache.message().find("it is for another version") != std::string::npos);
    CHECK(Read(path) == good);
  }
}

TEST_CASE("damaged plans without a limit are not used, and never crash") {
  const Folder folder;
  const auto module = Parse(kLoops);
  RunnerOptions options;
  options.threads = 1;
  PlanCache cache(folder.path());
  StatusOr<Runner> first = cache.Prepare(*module, options);
  REQUIRE(first.ok());
  const std::string wanted = ResultOf(*first);
  const fs::path path = folder.Files()[0];
  const std::string good = Read(path);
  std::vector<std::string> damaged = {"", "x", good + good, good + " "};
  for (size_t part = 1; part < 16; ++part) damaged.push_back(good.substr(0, good.size() * part / 16));
  for (size_t at = 0; at < good.size(); at += 1 + good.size() / 200) {
    damaged.push_back(good);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ (1 << at % 8));
  }
  for (const std::string& text : damaged) {
    Write(path, text);
    StatusOr<Runner> runner = cache.Prepare(*module, options);
    REQUIRE(runner.ok());
    CHECK_FALSE(cache.was_read());
    CHECK(cache.message().find("is not used") != std::string::npos);
    CHECK(ResultOf(*runner) == wanted);
    CHECK(Read(path) == good);
  }
}

TEST_CASE("C: hloir_prepare keeps the plan in the folder that its options name") {
  const Folder folder;
  const std::string text = ChainText();
  hloir_error* error = nullptr;
  hloir_module* module = hloir_parse(text.data(), text.size(), nullptr, &error);
  REQUIRE(module != nullptr);
  hloir_prepare_options options{};
  options.size = sizeof(options);
  options.cache = folder.path().c_str();
  std::vector<std::string> results;
  for (int k = 0; k < 2; ++k) {
    hloir_executable* executable = hloir_prepare(module, &options, &error);
    REQUIRE(executable != nullptr);
    CHECK(folder.Files().size() == 1);
    std::vector<float> x(64 * 64, 0.25F), y(64 * 64);
    const hloir_buffer in = {x.data(), x.size() * sizeof(float)}, out = {y.data(), y.size() * sizeof(float)};
    REQUIRE(hloir_run(executable, &in, 1, &out, 1, &error));
    results.emplace_back(reinterpret_cast<const char*>(y.data()), y.size() * sizeof(float));
    hloir_executable_free(executable);
  }
  CHECK(results[0] == results[1]);
  // A caller of before there was a cache has a smaller struct.
  options.size = offsetof(hloir_prepare_options, cache);
  options.cache = "/dev/null";
  hloir_executable* executable = hloir_prepare(module, &options, &error);
  REQUIRE(executable != nullptr);
  hloir_executable_free(executable);
  hloir_module_free(module);
}

}  // namespace hloir
