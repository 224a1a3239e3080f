// Responses of the language server about a document: hovers, locations, edits. Each returns the protocol's result as
// JSON; null if there is none. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hloir/status.h"
#include "lsp/document.h"
#include "report/json.h"

namespace hloir::lsp {

// The position in the member `name` of a client's object; 0 if it is missing or invalid.
Position PositionIn(const Json& json, const char* key);
Json ToJson(const Document& document, Range range);
Json Hover(const Document& document, size_t offset);
// The definition of an operand or a called computation, or (within metadata) the source line of the program, if that
// file exists. `uri` is the document's; `folders` are the workspace's.
Json Definition(const Document& document, const std::string& uri, size_t offset,
                const std::vector<std::string>& folders = {});
Json References(const Document& document, const std::string& uri, size_t offset, bool with_definition);
Json Highlights(const Document& document, size_t offset);
Json Folds(const Document& document);
Json PrepareRename(const Document& document, size_t offset);
StatusOr<Json> Rename(const Document& document, const std::string& uri, size_t offset, std::string_view name);
Json Formatting(const Document& document, Range within);
// Inlay hints for omitted shapes: of results, and of operands before their names.
Json InlayHints(const Document& document, Range within);

// "file:///a%20b" to "/a b"; "" for other URIs. And back.
std::string PathOfUri(std::string_view uri);
std::string UriOfPath(std::string_view path);

}  // namespace hloir::lsp
