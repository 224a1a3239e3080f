// hloir fuzz xla: runs fuzz_xla.py, which compares hloir with XLA:CPU and needs Python, jaxlib and ml_dtypes. It
// locates the script and passes all flags to it. Tested by tests/cli/fuzz.test.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/command.h"
#include "tools/flags.h"
#include "tools/memory.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

namespace fs = std::filesystem;

int RunDriver(const std::string& python, const std::string& driver, const std::vector<std::string>& flags) {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  // The path in an installation, and the path for a build inside the source tree.
  std::vector<std::string> places;
  for (const char* place : {"../share/hloir/fuzz_xla.py", "../../../tools/fuzz_xla.py"})
    places.push_back((self.parent_path() / place).lexically_normal().string());
  if (!driver.empty()) places = {driver};
  for (const std::string& place : places) {
    if (!fs::exists(place, none)) continue;
    std::vector<std::string> words = {python, place, "--hloir=" + self.string()};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<char*> given;
    for (std::string& word : words) given.push_back(word.data());
    given.push_back(nullptr);
    LiftMemoryLimit();
    execvp(given[0], given.data());
    return Fail(InvalidArgument(fmt::format("{}: {} (see --python)", python, std::strerror(errno))));
  }
  return Fail(InvalidArgument(fmt::format("no driver at {} (see --driver)", fmt::join(places, ", nor at "))));
}

}  // namespace

void AddFuzzXlaCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto python = std::make_shared<std::string>("python3");
  AddOption(*command, "--python FILE", *python, "A Python that has jaxlib and ml_dtypes (default: python3)");
  auto driver = std::make_shared<std::string>();
  AddOption(*command, "--driver FILE", *driver,
            "Path of fuzz_xla.py (default: that of the installation or of the build)");
  command->allow_extras();
  command->footer(
      "All other flags are the driver's: --kind, --first, --count, --only, --jobs, …\n"
      "(`hloir fuzz xla -- --help`).");
  command->callback([command, python, driver, &action] {
    action = [command, python, driver] {
      std::vector<std::string> flags = command->remaining();
      std::erase(flags, "--");
      return RunDriver(*python, *driver, flags);
    };
  });
}

}  // namespace hloir::tool
