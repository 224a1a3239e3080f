// Runs tests/ops/*.hlo: modules, followed by lines with the results of their computations (run_lines.h).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/run_lines.h"

namespace hloir {
namespace {

// LAPACK ends the process with status 0 on illegal arguments, which must not count as a passed test.
bool running = false;
struct Running {
  Running() {
    [[maybe_unused]] static const int registered = std::atexit([] {
      if (running) std::_Exit(EXIT_FAILURE);
    });
    running = true;
  }
  ~Running() { running = false; }
};

}  // namespace

TEST_CASE("each file in tests/ops computes what it says", "[files]") {
  for (const std::filesystem::path& file : FilesIn(std::string(kTestsFolder) + "/ops")) {
    DYNAMIC_SECTION(file.stem().string()) {
      const std::string text = TextOf(file);
      StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text);
      INFO(module.status().message());
      REQUIRE(module.ok());
      const Running until_the_end;
      CHECK(run_lines::CheckRunLines(**module, text) > 0);
    }
  }
}

}  // namespace hloir
