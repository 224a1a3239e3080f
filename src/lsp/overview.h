// Overviews of a text: its symbols, symbols of all open texts by name, the call hierarchy, and semantic tokens. Each
// returns the protocol's result. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "lsp/document.h"
#include "report/json.h"

namespace hloir::lsp {

std::string Symbols(const Document& document);  // JSON
// Adds the computations and instructions whose names contain the letters of `query`, up to `most` in the list.
void AddSymbols(const Document& document, const std::string& uri, std::string_view query, size_t most, Json& found);

// The computation at the position, as an item; and for an item, its callers and callees.
Json CallItems(const Document& document, const std::string& uri, size_t offset);
Json IncomingCalls(const Document& document, const std::string& uri, size_t offset);
Json OutgoingCalls(const Document& document, const std::string& uri, size_t offset);

// The kinds of tokens, in the order of their numbers; and the tokens of a part of the text.
Json TokenLegend();
Json Tokens(const Document& document, Range within);

}  // namespace hloir::lsp
