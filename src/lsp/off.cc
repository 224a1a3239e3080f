// What lsp.h has in a build without the language server (the CMake option HLOIR_LSP): nothing is answered, and a stream
// of messages says why.
#include "lsp/lsp.h"

namespace hloir {

struct LanguageServer::State {};

LanguageServer::LanguageServer() = default;
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
