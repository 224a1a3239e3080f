// Every part runs exactly once, whatever the number of threads and parts, and nothing waits for idle threads; and how
// many threads the steps of modules take, counted, not timed.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "../../backend_cpu/plan/run/thread_pool.h"
#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"

namespace hloir::cpu {
namespace {

constexpr double kMuch = 1e9;  // nanoseconds: worth any number of threads

TEST_CASE("thread pool: each part runs once, in every round") {
  for (int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (int64_t parts : {1, 2, 3, 5, 64, 1000}) {
      for (int round = 0; round < 20; ++round) {
        std::vector<std::atomic<int>> runs(static_cast<size_t>(parts));
        std::atomic<bool> known = true;
        pool.For(parts, kMuch, [&](int64_t part, int thread) {
          runs[static_cast<size_t>(part)].fetch_add(1);
          if (thread < 0 || thread >= pool.threads()) known = false;
        });
        int wrong = 0;
        for (const auto& count : runs) wrong += count != 1;
        CHECK(wrong == 0);
        CHECK(known);
      }
    }
  }
}

TEST_CASE("thread pool: once cancelled, no part begins") {
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::atomic<bool> cancel = false;
    pool.set_cancel(&cancel);
    std::atomic<int> runs = 0;
    pool.For(1000, kMuch, [&](int64_t, int) {
      runs.fetch_add(1);
      cancel = true;
    });
    CHECK(runs >= 1);
    CHECK(runs <= threads);
    runs = 0;
    pool.ForItems(1000, kMuch, [&](int64_t, int) { runs.fetch_add(1); });
    CHECK(runs == 0);
    cancel = false;
    pool.For(1000, kMuch, [&](int64_t, int) { runs.fetch_add(1); });
    CHECK(runs == 1000);
  }
}

TEST_CASE("thread pool: two parts take no more than two threads") {
  ThreadPool pool(7);
  std::vector<std::atomic<int>> used(7);
  for (int round = 0; round < 200; ++round)
    pool.For(2, kMuch, [&](int64_t, int thread) { used[static_cast<size_t>(thread)].fetch_add(1); });
  int others = 0;
  for (size_t thread = 2; thread < used.size(); ++thread) others += used[thread];
  CHECK(others == 0);
  CHECK(used[0] + used[1] == 400);
}

TEST_CASE("thread pool: what parts have written is seen when they are done") {
  ThreadPool pool(4);
  std::vector<int64_t> values(4096);
  for (int64_t round = 1; round < 200; ++round) {
    pool.For(16, kMuch, [&](int64_t part, int) {
      for (size_t i = static_cast<size_t>(part) * 256; i < static_cast<size_t>(part + 1) * 256; ++i) values[i] = round;
    });
    int64_t sum = 0;
    for (int64_t value : values) sum += value;
    CHECK(sum == round * 4096);
  }
}

TEST_CASE("thread pool: the work decides how many threads take part") {
  ThreadPool pool(8);
  CHECK(pool.ThreadsFor(64, 0) == 1);
  CHECK(pool.ThreadsFor(64, 100000) == 1);
  CHECK(pool.ThreadsFor(64, 2 * kNanosPerThread) == 2);
  CHECK(pool.ThreadsFor(64, 5.5 * kNanosPerThread) == 5);
  CHECK(pool.ThreadsFor(64, kMuch) == 8);
  CHECK(pool.ThreadsFor(3, kMuch) == 3);
  CHECK(pool.ThreadsFor(0, kMuch) == 1);
  std::vector<std::atomic<int>> used(8);
  for (int round = 0; round < 100; ++round)
    pool.For(64, 100000, [&](int64_t, int thread) { used[static_cast<size_t>(thread)].fetch_add(1); });
  CHECK(used[0] == 6400);
  CHECK(pool.TakeWidest() == 1);
  pool.For(64, 3 * kNanosPerThread, [](int64_t, int) {});
  CHECK(pool.TakeWidest() == 3);
  CHECK(pool.TakeWidest() == 1);
}

// The most threads that a step of the module takes of 8, on each instruction set.
std::vector<int> ThreadsOf(const std::string& entry) {
  const std::string text =
      "HloModule m\n"
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { zero = f32[] constant(0) " +
      entry + " }";
  auto module = ParseModule(text);
  INFO(entry << module.status().message());
  REQUIRE(module.ok());
  std::vector<int> most;
  for (const std::string& isa : SupportedIsas()) {
    ExecutableOptions options;
    options.isa = isa;
    options.threads = 8;
    options.profile = true;
    auto executable = PrepareExecutable(**module, options);
    REQUIRE(executable.ok());
    const auto inputs = MakeFakeInputs(**module, 1);
    REQUIRE(inputs.ok());
    std::vector<const Literal*> arguments;
    for (const Literal& input : *inputs) arguments.push_back(&input);
    REQUIRE((*executable)->Run(arguments).ok());
    most.push_back(0);
    for (const StepProfile& step : (*executable)->Profile().steps) most.back() = std::max(most.back(), step.threads);
  }
  return most;
}

TEST_CASE("threads: what takes less than a tenth of a millisecond takes one") {
  for (const char* entry : {
           "x = f32[16384] parameter(0) y = f32[16384] multiply(x, x) ROOT z = f32[16384] tanh(y)",
           "x = f32[128,128] parameter(0) ROOT s = f32[128] reduce(x, zero), dimensions={1}, to_apply=add",
           "x = f32[48,48] parameter(0) ROOT d = f32[48,48] dot(x, x), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}",
           "x = f32[256,256] parameter(0) ROOT t = f32[256,256] transpose(x), dimensions={1,0}",
           "x = f32[4096] parameter(0) ROOT s = f32[4096] sort(x), dimensions={0}, to_apply=less",
           "x = f32[1,12,12,8] parameter(0) w = f32[3,3,8,8] parameter(1) ROOT c = f32[1,12,12,8] convolution(x, w), "
           "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
           "x = f32[1024] parameter(0) z = f32[1024] broadcast(zero), dimensions={} c = c64[1024] complex(x, z) ROOT f "
           "= "
           "c64[1024] fft(c), fft_type=FFT, fft_length={1024}",
           "x = f32[1,24,24,8] parameter(0) ROOT p = f32[1,12,12,8] reduce-window(x, zero), window={size=1x2x2x1 "
           "stride=1x2x2x1}, to_apply=add",
           "x = f32[1000,16] parameter(0) ROOT p = f32[1010,16] pad(x, zero), padding=5_5x0_0",
       }) {
    for (int threads : ThreadsOf(entry)) {
      INFO(entry);
      CHECK(threads == 1);
    }
  }
}

TEST_CASE("threads: what takes milliseconds takes several") {
  for (const char* entry : {
           "x = f32[4000000] parameter(0) y = f32[4000000] multiply(x, x) ROOT z = f32[4000000] tanh(y)",
           "x = f32[512,512] parameter(0) ROOT d = f32[512,512] dot(x, x), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}",
           "x = f32[256,4096] parameter(0) ROOT s = f32[256,4096] sort(x), dimensions={1}, to_apply=less",
       }) {
    for (int threads : ThreadsOf(entry)) {
      INFO(entry);
      CHECK(threads > 1);
    }
  }
}

}  // namespace
}  // namespace hloir::cpu
