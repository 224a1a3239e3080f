// hloir fuzz xla: the door to fuzz_xla.py, which holds hloir against XLA:CPU and needs Python, jaxlib and ml_dtypes.
// All that it knows of the driver is where it lies; flags go through. Tested by tests/cli/fuzz.test.
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
#include "tools/report.h"

namespace hloir::tool {
namespace {

namespace fs = std::filesystem;

int RunDriver(const std::string& python, const std::vector<std::string>& flags) {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  // Where it is installed, and in a build below the sources.
  for (const char* place : {"../share/hloir/fuzz_xla.py", "../../../tools/fuzz_xla.py"}) {
    const fs::path driver = (self.parent_path() / place).lexically_normal();
    if (!fs::exists(driver, none)) continue;
    std::vector<std::string> words = {python, driver.string(), "--hloir=" + self.string()};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<char*> given;
    for (std::string& word : words) given.push_back(word.data());
    given.push_back(nullptr);
    execvp(given[0], given.data());
    return Fail(InvalidArgument(fmt::format("{}: {} (see --python)", python, std::strerror(errno))));
  }
  return Fail(InvalidArgument("fuzz_xla.py was found neither in the installation nor in the sources"));
}

}  // namespace

void AddFuzzXlaCommand(CLI::App& fuzz, Action& action, PassRegistry& /*registry*/) {
  CLI::App* command = fuzz.add_subcommand("xla", "Compare hloir's engines with XLA:CPU on generated modules");
  auto python = std::make_shared<std::string>("python3");
  AddOption(*command, "--python FILE", *python, "A Python that has jaxlib and ml_dtypes (default: python3)");
  command->allow_extras();
  command->footer(
      "All other flags are the driver's: --kind, --first, --count, --only, --jobs, …\n"
      "(`hloir fuzz xla -- --help`).");
  command->callback([command, python, &action] {
    action = [command, python] {
      std::vector<std::string> flags = command->remaining();
      std::erase(flags, "--");
      return RunDriver(*python, flags);
    };
  });
}

}  // namespace hloir::tool
