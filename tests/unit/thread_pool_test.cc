// Every part runs exactly once, whatever the number of threads and parts, and nothing waits for idle threads.
#include <atomic>
#include <vector>

#include "../../backend_cpu/plan/run/thread_pool.h"
#include "tests/unit/catch.h"

namespace hloir::cpu {
namespace {

TEST_CASE("thread pool: each part runs once, in every round") {
  for (int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (int64_t parts : {1, 2, 3, 5, 64, 1000}) {
      for (int round = 0; round < 20; ++round) {
        std::vector<std::atomic<int>> runs(static_cast<size_t>(parts));
        std::atomic<bool> known = true;
        pool.For(parts, [&](int64_t part, int thread) {
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

TEST_CASE("thread pool: two parts take no more than two threads") {
  ThreadPool pool(7);
  std::vector<std::atomic<int>> used(7);
  for (int round = 0; round < 200; ++round)
    pool.For(2, [&](int64_t, int thread) { used[static_cast<size_t>(thread)].fetch_add(1); });
  int others = 0;
  for (size_t thread = 2; thread < used.size(); ++thread) others += used[thread];
  CHECK(others == 0);
  CHECK(used[0] + used[1] == 400);
}

TEST_CASE("thread pool: what parts have written is seen when they are done") {
  ThreadPool pool(4);
  std::vector<int64_t> values(4096);
  for (int64_t round = 1; round < 200; ++round) {
    pool.For(16, [&](int64_t part, int) {
      for (size_t i = static_cast<size_t>(part) * 256; i < static_cast<size_t>(part + 1) * 256; ++i) values[i] = round;
    });
    int64_t sum = 0;
    for (int64_t value : values) sum += value;
    CHECK(sum == round * 4096);
  }
}

}  // namespace
}  // namespace hloir::cpu
