// Completion at a position of a text: names of instructions and computations, opcodes, types, attributes and their
// words; and signature help for the op at the position. The candidates come from the tables of opcodes, attributes and
// enums. Each returns the protocol's result. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <string>

#include "lsp/document.h"
#include "report/json.h"

namespace hloir::lsp {

Json Completion(const Document& document, size_t offset);
Json SignatureHelp(const Document& document, size_t offset);

// For each of a client's diagnostics with "did you mean 'NAME'?", the edit that inserts NAME.
Json QuickFixes(const Document& document, const std::string& uri, const Json& diagnostics);

}  // namespace hloir::lsp
