// A language server for HLO, by Microsoft's Language Server Protocol 3.17: diagnostics by parser and verifier, hovers,
// definitions, references, symbols, renaming, formatting (blanks only), inferred shapes, completion. `hloir lsp`
// connects it to standard input and output.
//
// Example:
//
//   LanguageServer server;
//   std::vector<std::string> answers = server.Handle(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
//   if (answers.size() != 1 || answers[0].find("hoverProvider") == std::string::npos) return;
//   std::string framed = FrameMessage(answers[0]);  // "Content-Length: …\r\n\r\n{…}"
//   MessageStream stream;                           // and the other way round
//   stream.Append(framed);
//   if (stream.Next() != answers[0]) return;
//
// No input ends the process. Positions count UTF-16 units, or bytes where the client takes utf-8. Threads: a server and
// a stream belong to one thread at a time; a server with `later` checks long texts in another thread, so that an edit
// does not wait for the parser. Tested by tests/unit/lsp_test.cc, tests/cli/lsp.test and tests/editors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/status.h"

namespace hloir {

// The documents that are open in one editor.
class LanguageServer {
 public:
  // `later` is called with the diagnostics of texts of half a megabyte and more, as a message, some time after an edit
  // and in another thread. Without it, Handle returns them.
  explicit LanguageServer(std::function<void(const std::string& message)> later = nullptr);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  // Handles one message from the client, as JSON; returns the messages to send, in order.
  std::vector<std::string> Handle(std::string_view message);
  // True after the client's "exit"; and true if "shutdown" preceded it, as required.
  bool exited() const;
  bool shut_down() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Bytes that arrive, cut into messages.
class MessageStream {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;  // of one message

  void Append(std::string_view bytes) { bytes_ += bytes; }
  // The next complete message. Headers other than Content-Length are ignored.
  std::optional<std::string> Next();
  // An error after a header without a length or a message that is too long; no further message can be read.
  const Status& status() const { return status_; }

 private:
  std::string bytes_;
  Status status_;
};

// The message with its header.
std::string FrameMessage(std::string_view message);

}  // namespace hloir
