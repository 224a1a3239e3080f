// lsp.h in a build without the language server (the CMake option HLOIR_LSP): messages are ignored, and the stream ends
// with an error that explains it.
#include "lsp/lsp.h"

namespace hloir {

struct LanguageServer::State {};

LanguageServer::LanguageServer(std::function<void(const std::string&)> /*later*/) {}
LanguageServer::~LanguageServer() = default;
std::vector<std::string> LanguageServer::Handle(std::string_view /*message*/) { return {}; }
bool LanguageServer::exited() const { return false; }
bool LanguageServer::shut_down() const { return false; }

std::optional<std::string> MessageStream::Next() {
  status_ = Unimplemented("this hloir was built without the language server (-DHLOIR_LSP=OFF)");
  return std::nullopt;
}

std::string FrameMessage(std::string_view message) { return std::string(message); }

}  // namespace hloir
