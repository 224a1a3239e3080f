// hloir lsp: a language server on standard input and output.
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "lsp/lsp.h"
#include "tools/command.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

int Lsp() {
#ifdef __GLIBC__
  // A fixed threshold returns the memory of closed texts to the system; the default threshold grows.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  // Diagnostics of long texts come from another thread.
  std::mutex output;
  const auto send = [&output](const std::vector<std::string>& messages) {
    const std::lock_guard lock(output);
    for (const std::string& message : messages) Write(stdout, FrameMessage(message));
    return FlushStdout();
  };
  LanguageServer server([&send](const std::string& message) { (void)send({message}); });
  MessageStream stream;
  static char buffer[1 << 16];
  while (true) {
    // Reads the available bytes: fread would wait for a full buffer.
    const ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return server.shut_down() ? kExitGood : kExitBadInput;
    stream.Append({buffer, static_cast<size_t>(count)});
    while (const auto message = stream.Next()) {
      if (Status sent = send(server.Handle(*message)); !sent.ok()) return Fail(sent);
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
