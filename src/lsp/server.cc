// The protocol: requests, notifications and their errors, and the thread that checks long texts; see lsp/lsp.h.
// Responses about documents are in answers.cc.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "lsp/lsp.h"
#include "hloir/version.h"
#include "lsp/answers.h"
#include "lsp/completion.h"
#include "lsp/overview.h"
#include "support/format.h"
#include "support/parse_json.h"

namespace hloir {
namespace {

using namespace lsp;

// Errors of JSON-RPC and of the protocol.
enum ErrorCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kServerNotInitialized = -32002,
  kRequestFailed = -32803,
};

// The value at the end of a path of keys; null if there is none.
const Json& At(const Json& json, std::initializer_list<const char*> path) {
  static const Json kNull;
  const Json* at = &json;
  for (const char* key : path) {
    if (!at->is_object()) return kNull;
    const auto it = at->find(key);
    if (it == at->end()) return kNull;
    at = &*it;
  }
  return *at;
}
std::string TextAt(const Json& json, std::initializer_list<const char*> path) {
  const Json& found = At(json, path);
  return found.is_string() ? found.get<std::string>() : "";
}
Json Capabilities(bool utf8) {
  return {{"positionEncoding", utf8 ? "utf-8" : "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", 2}}},  // 2: parts of it
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"documentSymbolProvider", true},
          {"foldingRangeProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"documentFormattingProvider", true},
          {"documentRangeFormattingProvider", true},
          {"inlayHintProvider", true},
          {"completionProvider", {{"triggerCharacters", {"%", "(", "=", ","}}}},
          {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
          {"workspaceSymbolProvider", true},
          {"callHierarchyProvider", true},
          {"semanticTokensProvider", {{"legend", TokenLegend()}, {"full", true}, {"range", true}}}};
}

}  // namespace

struct LanguageServer::State {
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kReadAtOnce = size_t{1} << 19;  // bytes of a text that is parsed at each edit: some 10 ms
  static constexpr std::chrono::milliseconds kRest{150};  // delay between the last edit of a longer text and its
                                                          // parsing

  std::function<void(const std::string&)> later;
  std::mutex mutex;  // of what follows
  std::condition_variable changed;
  std::map<std::string, Clock::time_point> due;  // documents to read, by URI
  bool stopping = false;
  std::thread reader;
  bool initialized = false, shut_down = false, exited = false, utf8 = false;
  std::map<std::string, Document> documents;
  std::vector<std::string> folders;  // of the workspace, where modules' sources are looked for

  Json Initialize(const Json& params) {
    const Json& encodings = At(params, {"capabilities", "general", "positionEncodings"});
    utf8 = encodings.is_array() && std::find(encodings.begin(), encodings.end(), Json("utf-8")) != encodings.end();
    initialized = true;
    const auto add_folder = [&](const std::string& uri) {
      if (const std::string path = PathOfUri(uri); !path.empty()) folders.push_back(path);
    };
    if (const Json& workspace = At(params, {"workspaceFolders"}); workspace.is_array()) {
      for (const Json& folder : workspace) add_folder(TextAt(folder, {"uri"}));
    } else {
      add_folder(TextAt(params, {"rootUri"}));
    }
    return {{"capabilities", Capabilities(utf8)}, {"serverInfo", {{"name", "hloir"}, {"version", kVersion}}}};
  }

  std::string Diagnostics(const std::string& uri) const {
    Json list = Json::array();
    if (const auto it = documents.find(uri); it != documents.end()) {
      for (const lsp::Diagnostic& diagnostic : it->second.diagnostics()) {
        Json json = {{"range", ToJson(it->second, diagnostic.range)},
                     {"severity", static_cast<int>(diagnostic.severity)},
                     {"source", "hloir " + std::string(diagnostic.source)},
                     {"message", diagnostic.message}};
        if (diagnostic.source == "unused") json["tags"] = Json::array({1});
        list.push_back(std::move(json));
      }
    }
    return JsonLine({{"jsonrpc", "2.0"},
                     {"method", "textDocument/publishDiagnostics"},
                     {"params", {{"uri", uri}, {"diagnostics", std::move(list)}}}});
  }

  // Schedules diagnostics of an edited text: at once, or after a pause in editing.
  void Edited(const std::string& uri, Document& document, std::vector<std::string>& out) {
    if (later == nullptr || document.text().size() < kReadAtOnce) {
      due.erase(uri);
      document.Read();
      out.push_back(Diagnostics(uri));
      return;
    }
    due[uri] = Clock::now() + kRest;
    if (!reader.joinable()) reader = std::thread([this] { ReadLater(); });
    changed.notify_one();
  }

  // The other thread: parses due texts without the lock, so that responses never wait for it.
  void ReadLater() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      const auto next =
          std::min_element(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (next == due.end()) {
        changed.wait(lock);
        continue;
      }
      if (const auto when = next->second; Clock::now() < when) {
        changed.wait_until(lock, when);
        continue;
      }
      const std::string uri = next->first;
      due.erase(next);
      auto it = documents.find(uri);
      if (it == documents.end()) continue;
      std::shared_ptr<const std::string> text = it->second.snapshot();
      lock.unlock();
      Reading reading = ReadModules(std::move(text));
      lock.lock();
      it = documents.find(uri);
      // Discards the reading of an older text; a newer one is due.
      if (it == documents.end() || !it->second.Install(std::move(reading))) continue;
      later(Diagnostics(uri));
    }
  }

  void Notified(const std::string& method, const Json& params, std::vector<std::string>& out) {
    if (method == "exit") exited = true;
    if (!initialized || shut_down) return;
    const std::string uri = TextAt(params, {"textDocument", "uri"});
    if (method == "textDocument/didOpen") {
      Document document(TextAt(params, {"textDocument", "text"}), utf8, false);
      Edited(uri, documents.insert_or_assign(uri, std::move(document)).first->second, out);
    } else if (method == "textDocument/didChange") {
      const auto it = documents.find(uri);
      if (it == documents.end()) return;
      const Json& changes = At(params, {"contentChanges"});
      if (!changes.is_array()) return;
      Document& document = it->second;
      // For a few edits, updating the outline is cheaper than reading it anew.
      const bool many = changes.size() > 16;
      const auto outlining = many ? Document::Outlining::kWait : Document::Outlining::kFollow;
      for (const Json& change : changes) {
        const Json& range = At(change, {"range"});
        if (!range.is_object()) {
          document.ReplaceAll(TextAt(change, {"text"}));
          continue;
        }
        document.Replace(document.OffsetOf(PositionIn(range, "start")), document.OffsetOf(PositionIn(range, "end")),
                         TextAt(change, {"text"}), outlining);
      }
      if (many) document.OutlineAnew();
      Edited(uri, document, out);
    } else if (method == "textDocument/didClose") {
      documents.erase(uri), due.erase(uri);
      out.push_back(Diagnostics(uri));  // none any more
    }
  }

  // The result of a request, or an error.
  struct Reply {
    Json result;
    int error = 0;
    std::string message = {};
    std::string text = {};  // the result, if it is JSON text already
  };
  // Of all open documents.
  Json WorkspaceSymbols(const std::string& query) const {
    constexpr size_t kMost = 500;
    Json found = Json::array();
    for (const auto& [uri, document] : documents) AddSymbols(document, uri, query, kMost, found);
    return found;
  }
  // For an item from prepareCallHierarchy.
  Reply CallRequest(const std::string& method, const Json& item) const {
    const std::string uri = TextAt(item, {"uri"});
    const auto it = documents.find(uri);
    if (it == documents.end()) return {{}, kInvalidParams, "the document is not open"};
    const size_t offset = it->second.OffsetOf(PositionIn(At(item, {"selectionRange"}), "start"));
    if (method == "callHierarchy/incomingCalls") return {IncomingCalls(it->second, uri, offset)};
    if (method == "callHierarchy/outgoingCalls") return {OutgoingCalls(it->second, uri, offset)};
    return {{}, kMethodNotFound, "unknown method " + method};
  }
  Reply Request(const std::string& method, const Json& params) {
    if (method == "initialize") {
      if (initialized) return {{}, kInvalidRequest, "the server has been initialized"};
      return {Initialize(params)};
    }
    if (!initialized) return {{}, kServerNotInitialized, "the first request is initialize"};
    if (shut_down) return {{}, kInvalidRequest, "the server has been shut down"};
    if (method == "shutdown") {
      shut_down = true;
      documents.clear(), due.clear();
      return {};
    }
    if (method == "workspace/symbol") return {WorkspaceSymbols(TextAt(params, {"query"}))};
    if (method.starts_with("callHierarchy/")) return CallRequest(method, At(params, {"item"}));
    constexpr std::string_view kPrefix = "textDocument/";
    if (!method.starts_with(kPrefix)) return {{}, kMethodNotFound, "unknown method " + method};
    const std::string what = method.substr(kPrefix.size()), uri = TextAt(params, {"textDocument", "uri"});
    const auto it = documents.find(uri);
    if (it == documents.end()) return {{}, kInvalidParams, "the document is not open"};
    const Document& document = it->second;
    const size_t offset = document.OffsetOf(PositionIn(params, "position"));
    const Json& range = At(params, {"range"});
    const Range all{0, static_cast<uint32_t>(document.text().size())};
    const Range within = range.is_object() ? Range{static_cast<uint32_t>(document.OffsetOf(PositionIn(range, "start"))),
                                                   static_cast<uint32_t>(document.OffsetOf(PositionIn(range, "end")))}
                                           : all;
    if (what == "hover") return {Hover(document, offset)};
    if (what == "definition") return {Definition(document, uri, offset, folders)};
    if (what == "references") {
      const Json& with = At(params, {"context", "includeDeclaration"});
      return {References(document, uri, offset, with.is_boolean() && with.get<bool>())};
    }
    if (what == "documentHighlight") return {Highlights(document, offset)};
    if (what == "documentSymbol") return {{}, 0, {}, Symbols(document)};
    if (what == "foldingRange") return {Folds(document)};
    if (what == "prepareRename") return {PrepareRename(document, offset)};
    if (what == "rename") {
      StatusOr<Json> edits = Rename(document, uri, offset, TextAt(params, {"newName"}));
      if (!edits.ok()) return {{}, kRequestFailed, edits.status().message()};
      return {*std::move(edits)};
    }
    if (what == "formatting") return {Formatting(document, all)};
    if (what == "rangeFormatting") return {Formatting(document, within)};
    if (what == "inlayHint") return {InlayHints(document, within)};
    if (what == "completion") return {Completion(document, offset)};
    if (what == "signatureHelp") return {SignatureHelp(document, offset)};
    if (what == "codeAction") return {QuickFixes(document, uri, At(params, {"context", "diagnostics"}))};
    if (what == "prepareCallHierarchy") return {CallItems(document, uri, offset)};
    if (what == "semanticTokens/full" || what == "semanticTokens/range") return {Tokens(document, within)};
    return {{}, kMethodNotFound, "unknown method " + method};
  }
};

LanguageServer::LanguageServer(std::function<void(const std::string&)> later) : state_(std::make_unique<State>()) {
  state_->later = std::move(later);
}
LanguageServer::~LanguageServer() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  if (state_->reader.joinable()) state_->reader.join();
}
bool LanguageServer::exited() const { return state_->exited; }
bool LanguageServer::shut_down() const { return state_->shut_down; }

std::vector<std::string> LanguageServer::Handle(std::string_view message) {
  std::vector<std::string> out;
  const auto fail = [&](const Json& id, int code, std::string text) {
    out.push_back(
        JsonLine({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", std::move(text)}}}}));
  };
  const Json json = ParseJson<Json>(message);
  if (json.is_discarded()) return fail(Json(), kParseError, "the message is not JSON"), out;
  const Json& id = At(json, {"id"});
  const bool is_request = id.is_number() || id.is_string();
  const Json& method = At(json, {"method"});
  if (!json.is_object() || (!method.is_string() && !At(json, {"result"}).is_null()) || !method.is_string()) {
    // Responses to requests of the server, which sends none.
    if (json.is_object() && (json.contains("result") || json.contains("error"))) return out;
    return fail(is_request ? id : Json(), kInvalidRequest, "the message has no method"), out;
  }
  const Json& params = At(json, {"params"});
  const std::lock_guard lock(state_->mutex);
  if (!is_request) {
    state_->Notified(method.get<std::string>(), params, out);
    return out;
  }
  State::Reply reply = state_->Request(method.get<std::string>(), params);
  if (!reply.text.empty())
    out.push_back("{\"jsonrpc\":\"2.0\",\"id\":" + JsonLine(id) + ",\"result\":" + reply.text + "}");
  else if (reply.error != 0) fail(id, reply.error, std::move(reply.message));
  else out.push_back(JsonLine({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(reply.result)}}));
  return out;
}

std::optional<std::string> MessageStream::Next() {
  if (!status_.ok()) return std::nullopt;
  const size_t end = bytes_.find("\r\n\r\n");
  constexpr size_t kMostHeader = 8192;
  if (std::min(end, bytes_.size()) > kMostHeader) {
    status_ = InvalidArgument("the message's header has no end");
    return std::nullopt;
  }
  if (end == std::string::npos) return std::nullopt;
  size_t length = SIZE_MAX;
  for (size_t at = 0; at < end;) {
    const size_t stop = std::min(bytes_.find("\r\n", at), end);
    std::string line = bytes_.substr(at, stop - at);
    std::transform(line.begin(), line.end(), line.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view kName = "content-length:";
    if (line.starts_with(kName)) {
      const size_t first = std::min(line.find_first_not_of(" \t", kName.size()), line.size());
      if (std::from_chars(line.data() + first, line.data() + line.size(), length).ec != std::errc()) length = SIZE_MAX;
    }
    at = stop + 2;
  }
  if (length > kMostBytes) {
    status_ = length == SIZE_MAX ? InvalidArgument("the message's header has no Content-Length")
                                 : ResourceExhausted("the message is too long");
    return std::nullopt;
  }
  const size_t begin = end + 4;
  if (bytes_.size() - begin < length) return std::nullopt;
  std::string message = bytes_.substr(begin, length);
  bytes_.erase(0, begin + length);
  if (bytes_.empty()) bytes_.shrink_to_fit();  // a message may have a whole text
  return message;
}

std::string FrameMessage(std::string_view message) {
  return Format("Content-Length: {}\r\n\r\n", message.size()) + std::string(message);
}

}  // namespace hloir
