// HloirMain: the hloir command. Results go to stdout, messages to stderr; exit statuses are in report.h.
#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/main.h"
#include "support/did_you_mean.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/help.h"
#include "tools/memory.h"
#include "tools/report.h"
#include "tools/terminal.h"
#include "tools/version.h"

namespace hloir::tool {
namespace {

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// `hloir help opt` is `hloir opt --help`, `hloir version` and `hloir -v` are `hloir --version`.
std::vector<std::string> Arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty()) return {};
  if (arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<size_t>(arguments.size(), 1));
    arguments.push_back("--help");
  } else if (arguments[0] == "version" || arguments[0] == "-v") {
    arguments[0] = "--version";
  }
  return arguments;
}

struct Command {
  const char* name;
  const char* description;
  AddCommand* add;
};
constexpr Command kCommands[] = {
#define HLOIR_COMMAND(name, text, description) {text, description, &Add##name##Command},
#include "tools/commands.def"
};

int Main(int argc, char** argv, PassRegistry& registry) {
  CLI::App app("Reads, checks, optimizes and runs HLO, XLA's intermediate representation, without XLA.", "hloir");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", VersionText, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  Action action;
  std::vector<std::string> arguments = Arguments(argc, argv);
  const auto named = [&](const Command& command) { return !arguments.empty() && arguments[0] == command.name; };
  // Describing all commands and their options takes longer than running a small module.
  const bool one = std::any_of(std::begin(kCommands), std::end(kCommands), named);
  for (const Command& command : kCommands)
    if (!one || named(command)) command.add(app.add_subcommand(command.name, command.description), action, registry);
  uint64_t max_memory = 0;
  AddMemoryFlag(app, max_memory);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");
  // After the commands, which would inherit it.
  app.footer(
      "A FILE of - is standard input. `hloir help COMMAND` describes a command.\nExit status: 0 success; 1 modules "
      "disagree; 2 "
      "invalid input or command line;\n3 not supported or over a limit; 70 a bug in hloir.");

  if (arguments.empty()) {
    Write(stderr, app.help());
    return kExitBadInput;
  }
  if (!arguments[0].starts_with('-')) {
    const std::vector<std::string> names = CommandNames(app);
    if (std::find(names.begin(), names.end(), arguments[0]) == names.end()) {
      const std::string meant = DidYouMean(arguments[0], names);
      return Fail(InvalidArgument(
          fmt::format("unknown command '{}'{}", arguments[0], meant.empty() ? "; see hloir --help" : meant)));
    }
  }
  for (const std::string& argument : arguments) {
    // To CLI11 this is a file named "=x".
    if (argument.starts_with("-o=")) {
      return Fail(InvalidArgument(
          fmt::format("{}: did you mean -o {} or --output={}?", argument, argument.substr(3), argument.substr(3))));
    }
  }
  if (const std::string missing = MissingValue(app, arguments); !missing.empty()) return Fail(InvalidArgument(missing));
  int status = kExitGood;
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    LimitProcessMemory(max_memory, arguments);
    status = action();
  } catch (const CLI::CallForHelp&) {
    Write(stdout, app.help());
  } catch (const CLI::CallForVersion&) {
    Write(stdout, VersionText());
  } catch (const CLI::ParseError& error) {
    status = Fail(InvalidArgument(Explain(app, error)));
  }
  if (Status flushed = FlushStdout(); !flushed.ok()) return Fail(flushed);
  return status;
}

}  // namespace

}  // namespace hloir::tool

int hloir::HloirMain(int argc, char** argv, PassRegistry registry) {
#ifdef __GLIBC__
  // Keeps freed memory: returning it to the system after each module would cost more in page faults than parsing.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  tool::OpenStandardStreams();
  // The library does not throw, but memory may run out, and other libraries of the command may throw.
  try {
    return tool::Main(argc, argv, registry);
  } catch (const std::bad_alloc&) {
    return tool::Fail(ResourceExhausted("out of memory"));
  } catch (const std::exception& error) {
    return tool::Fail(Internal(error.what()));
  }
}
