// HloirMain: the hloir command. Results go to stdout, messages to stderr; exit statuses are in report.h.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend_cpu/isa/isa_names.h"
#include "hloir/executable.h"
#include "inspect/folder.h"
#include "hloir/main.h"
#include "hloir/version.h"
#include "support/did_you_mean.h"
#include "support/huge_pages.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/help.h"
#include "tools/memory.h"
#include "tools/report.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

#ifndef HLOIR_COMMIT
#define HLOIR_COMMIT ""
#endif

std::string Version() {
  std::string version = fmt::format("hloir {}", kVersion);
  if (std::string_view(HLOIR_COMMIT) != "") version += " (" HLOIR_COMMIT ")";
  const StatusOr<std::string> isa = cpu::ChosenIsa();
  return fmt::format("{}\ninstruction set: {}\nbuilt for: {}\n", version, isa.ok() ? *isa : isa.status().message(),
                     fmt::join(cpu::BuiltIsas(), ", "));
}

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

// A larger heap is reserved at once, in pages of 2 MB: page faults of small pages took a tenth to a fifth of the time
// for 10,000 to 30,000 instructions. A text becomes up to 16 times as much; unused pages take nothing. Not for larger
// modules: at 100,000 instructions it saves no time, and half-used pages cost a fifth of the memory.
[[maybe_unused]] void ReserveHeap(uint64_t text, uint64_t most) {
  constexpr uint64_t kTimesText = 16, kPart = 8, kLargeText = 6 << 20;
  if (text > kLargeText) return;
  const size_t reserved = std::min(kTimesText * text, most / kPart);
  void* block = std::malloc(reserved);
  if (block == nullptr) return;
  WishForHugePages(block, reserved);
  std::free(block);  // the heap keeps it, as HloirMain told it to
}

// Limits the memory of the process: beyond the limit allocations fail, and the command reports it and ends with 3.
// `most` bytes, or 0: 768 megabytes and 64 times the size of the input files, so that small files cannot cause large
// allocations. For more than a small text (100 kB) the limit is at least half of the machine's memory: a real model's
// weights are not in its text.
bool has_default_limit = false;
void LimitMemory(uint64_t most, const std::vector<std::string>& arguments) {
// A sanitizer's own tables are larger than any limit.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr uint64_t kAlways = uint64_t{768} << 20, kTimesFiles = 64, kStack = uint64_t{8} << 20, kSmallText = 100000;
  uint64_t bytes = 0, largest = 0;
  for (const std::string& argument : arguments) {
    const size_t value = argument.starts_with("--") ? argument.find('=') + 1 : 0;  // --inputs=X.npz
    const std::string path = argument.substr(value);
    std::error_code none;
    std::vector<std::string> files{path};
    if (std::filesystem::is_directory(path, none)) {
      if (auto inside = ListModuleFiles(path); inside.ok()) files = std::move(*inside);
    }
    for (const std::string& file : files) {
      const uint64_t size = std::filesystem::file_size(file, none);
      if (none) continue;
      bytes += size;
      largest = std::max(largest, size);
    }
  }
  has_default_limit = most == 0;
  if (most == 0) {
    most = kAlways + kTimesFiles * bytes;
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (largest > kSmallText && pages > 0 && page > 0)
      most = std::max(most, static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) / 2);
  }
  most += kStack * std::max(1u, std::thread::hardware_concurrency());  // of threads; unused stack takes nothing
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(most, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
  if (largest > kSmallText) ReserveHeap(largest, limit.rlim_cur);
#else
  (void)most, (void)arguments;
#endif
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
  app.set_version_flag("--version", Version, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  Action action;
  std::vector<std::string> arguments = Arguments(argc, argv);
  const auto named = [&](const Command& command) { return !arguments.empty() && arguments[0] == command.name; };
  // To describe all commands and their options takes longer than to run a small module.
  const bool one = std::any_of(std::begin(kCommands), std::end(kCommands), named);
  for (const Command& command : kCommands)
    if (!one || named(command)) command.add(app.add_subcommand(command.name, command.description), action, registry);
  uint64_t max_memory = 0;
  bool limited = false;
  for (CLI::App* command : app.get_subcommands({})) {
    command->group("Commands");
    const std::string& name = command->get_name();
    if (name != "opt" && name != "run" && name != "verify") continue;
    AddOption(*command, "--max-memory SIZE", max_memory,
              "Memory limit, as in 500M or 16G (default: 768M plus 64 times the size of the input files; with an input "
              "over 100 kB at least half of the machine's memory)")
        ->transform(CLI::Validator(CLI::AsSizeValue(false)).description(""));
    command->parse_complete_callback([&limited] { limited = true; });
  }
  // After the commands, which would take it over.
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
  int status = kExitGood;
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (limited) LimitMemory(max_memory, arguments);
    status = action();
  } catch (const CLI::CallForHelp&) {
    Write(stdout, app.help());
  } catch (const CLI::CallForVersion&) {
    Write(stdout, Version());
  } catch (const CLI::ParseError& error) {
    status = Fail(InvalidArgument(Explain(app, error)));
  }
  if (Status flushed = FlushStdout(); !flushed.ok()) return Fail(flushed);
  return status;
}

}  // namespace

void RaiseMemoryLimit(int64_t devices) {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr rlim_t kEach = rlim_t{64} << 20;
  rlimit limit{};
  if (!has_default_limit || devices < 2 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur + kEach * static_cast<rlim_t>(devices), limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
#else
  (void)devices;
#endif
}
}  // namespace hloir::tool

int hloir::HloirMain(int argc, char** argv, PassRegistry registry) {
#ifdef __GLIBC__
  // Module after module is made and freed: to hand the memory back each time would cost more, in page faults, than
  // parsing.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  tool::OpenStandardStreams();
  // The library does not throw, but memory can run out, and the command's own libraries may throw.
  try {
    return tool::Main(argc, argv, registry);
  } catch (const std::bad_alloc&) {
    return tool::Fail(ResourceExhausted("out of memory"));
  } catch (const std::exception& error) {
    return tool::Fail(Internal(error.what()));
  }
}
