// The hloir command. Results go to stdout, messages to stderr; exit statuses are in report.h.
#include <exception>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/version.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

int Main(int argc, char** argv) {
  CLI::App app("Reads, checks, optimizes and runs HLO, XLA's intermediate representation, without XLA.", "hloir");
  app.set_version_flag("--version", std::string("hloir ") + kVersion, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Action action;
  AddCheckCommand(app, action);
  AddPrintCommand(app, action);
  AddOptCommand(app, action);
  AddRunCommand(app, action);
  AddVerifyCommand(app, action);
  AddConvertCommand(app, action);
  // After the commands, which would take it over.
  app.footer(
      "A FILE of - is standard input. `hloir COMMAND --help` says more.\n"
      "Exit status: 0 good; 1 modules do not agree; 2 wrong input or command line;\n"
      "3 not supported or over a limit; 70 a bug in hloir.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const auto meant = [&](CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(meant).empty()) {
      return Fail(InvalidArgument(fmt::format("there is no command '{}'; see hloir --help", argv[1])));
    }
    // CLI11 prints help and version to stdout with 0, mistakes to stderr with numbers of its own.
    return app.exit(error) == 0 ? kExitGood : kExitBadInput;
  }
  const int status = action();
  if (Status flushed = FlushStdout(); !flushed.ok()) return Fail(flushed);
  return status;
}

}  // namespace
}  // namespace hloir::tool

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // Module after module is made and freed: to hand the memory back each time would cost more, in page faults, than
  // parsing.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  using namespace hloir;
  // The library does not throw, but memory can run out, and the command's own libraries may throw.
  try {
    return tool::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    return tool::Fail(ResourceExhausted("out of memory"));
  } catch (const std::exception& error) {
    return tool::Fail(Internal(error.what()));
  }
}
