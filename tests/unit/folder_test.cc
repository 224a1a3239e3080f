// inspect/folder.h: each item is worked on once and reported in order, on any number of threads; and which files
// of a folder are modules.
#include "inspect/folder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "tests/unit/catch.h"

using namespace hloir;

TEST_CASE("folders: every item once, reported in order, not far ahead") {
  for (int threads : {1, 2, 7}) {
    for (size_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> worked(count);
      std::vector<size_t> order;
      std::atomic<size_t> reported = 0, furthest = 0;
      const auto caller = std::this_thread::get_id();
      bool early = false, elsewhere = false;
      ForEachInOrder(
          count, threads,
          [&](size_t k) {
            if (k == 0) std::this_thread::yield();
            size_t seen = furthest, ahead = k - std::min(k, reported.load());
            while (ahead > seen && !furthest.compare_exchange_weak(seen, ahead)) {
            }
            worked[k].fetch_add(1);
          },
          [&](size_t k) {
            early = early || worked[k] != 1;
            elsewhere = elsewhere || std::this_thread::get_id() != caller;
            order.push_back(k);
            reported = k + 1;
          });
      CHECK(order.size() == count);
      CHECK(std::is_sorted(order.begin(), order.end()));
      CHECK_FALSE(early);
      CHECK_FALSE(elsewhere);
      CHECK(furthest <= 4 * static_cast<size_t>(threads));
      for (const auto& times : worked) CHECK(times == 1);
    }
  }
}

TEST_CASE("folders: work runs in several threads at once") {
  // Each of two waits for the other: one thread alone would wait for ever, so it gives up.
  std::atomic<int> here = 0;
  std::atomic<bool> met = false;
  ForEachInOrder(
      2, 2,
      [&](size_t) {
        ++here;
        for (int i = 0; i < 5000 && here < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        met = met || here == 2;
      },
      [](size_t) {});
  CHECK(met);
}

TEST_CASE("folders: which files are modules") {
  const auto folder = std::filesystem::temp_directory_path() / ("hloir_folder_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "sub");
  for (const char* name : {"b.hlo", "a.txt.gz", "sub/c.pb", "notes.md", "README", "x.hlo.orig",
                           "module_0001.f.cpu_after_optimizations-buffer-assignment.txt"})
    std::ofstream(folder / name) << "x";
  std::vector<std::string> expected;
  for (const char* name : {"a.txt.gz", "b.hlo", "sub/c.pb"}) expected.push_back((folder / name).string());
  // So many that a folder's own order is hardly ever theirs.
  for (char c = 'z'; c >= 'd'; --c) {
    expected.push_back((folder / (std::string(1, c) + ".hlo")).string());
    std::ofstream(expected.back()) << "x";
  }
  std::sort(expected.begin(), expected.end());
  const auto files = ListModuleFiles(folder.string());
  REQUIRE(files.ok());
  CHECK(*files == expected);
  CHECK_FALSE(ListModuleFiles((folder / "b.hlo").string()).ok());
  CHECK_FALSE(ListModuleFiles((folder / "nothing").string()).ok());
  std::filesystem::remove_all(folder);
}
