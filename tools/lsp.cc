// hloir lsp: a language server on standard input and output.
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "lsp/lsp.h"
#include "tools/command.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

int Lsp() {
  LanguageServer server;
  MessageStream stream;
  static char buffer[1 << 16];
  while (true) {
    // Reads the available bytes: fread would wait for a full buffer.
    const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return server.shut_down() ? kExitGood : kExitBadInput;
    stream.Append({buffer, static_cast<size_t>(count)});
    while (const auto message = stream.Next()) {
      for (const std::string& answer : server.Handle(*message)) Write(stdout, FrameMessage(answer));
      if (Status flushed = FlushStdout(); !flushed.ok()) return Fail(flushed);
      if (server.exited()) return server.shut_down() ? kExitGood : kExitBadInput;
    }
    if (!stream.status().ok()) return Fail(stream.status(), "-");
  }
}

}  // namespace

void AddLspCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  // Editors say so; there is no other way.
  command->add_flag_callback(
      "--stdio", [] {}, "Use standard input and output (always the case)");
  command->callback([&action] { action = [] { return Lsp(); }; });
}

}  // namespace hloir::tool
