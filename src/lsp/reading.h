// Reading: the result of parser and verifier for a version of a text: modules, and errors with positions. It depends on
// the text only, so that another thread can compute it; the outline is available without it. The entry point is
// ReadModules. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/module.h"
#include "lsp/outline.h"

namespace hloir::lsp {

struct Diagnostic {
  enum class Severity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };
  Range range;
  Severity severity = Severity::kError;
  std::string_view source;  // "parser", "verifier", "unused"
  std::string message;
};

struct Reading {
  std::shared_ptr<const std::string> text;
  bool parses = false;  // possibly with unknown names, from a newer XLA
  std::vector<std::unique_ptr<HloModule>> modules;
  std::vector<bool> legal;  // of modules: the verifier has no error
  std::vector<Diagnostic> diagnostics;
};

Reading ReadModules(std::shared_ptr<const std::string> text);

}  // namespace hloir::lsp
