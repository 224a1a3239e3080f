// From a FILE of the command line to modules, whatever form they have there: HLO text, one of XLA's four messages, or
// its JSON; each may be gzipped. The content tells which, not the name. Tested by tests/cli/convert.test.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/proto.h"
#include "hloir/status.h"

namespace hloir::tool {

struct LoadOptions {
  bool verify = true;
  bool allow_unknown = false;  // see ParserOptions
};

struct ModuleFile {
  enum class Form { kText, kProto, kJson };
  Form form = Form::kText;
  std::vector<std::unique_ptr<HloModule>> modules;  // a text may hold several
  // Of a message or JSON: all that it says but the module, which stands above.
  HloProtoFile proto;
  std::shared_ptr<const std::string> text;  // of HLO text

  const HloModule& module() const { return *modules.front(); }
  // A snapshot has the arguments of at least one partition.
  bool has_arguments() const { return !proto.arguments.empty(); }
};

// Reads and parses, and verifies if told to. Errors carry file, line and column, where there are such.
StatusOr<ModuleFile> LoadModules(const std::string& path, const LoadOptions& options = {});
// A file that holds exactly one module.
StatusOr<ModuleFile> LoadModuleFile(const std::string& path, const LoadOptions& options = {});
StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, const LoadOptions& options = {});
// The same from content that is there already; not verified.
StatusOr<ModuleFile> ParseModuleFile(std::string content, const std::string& file, const LoadOptions& options);

// Everything the verifier finds wrong, as text like the parser's; "" for a legal module. `text` is null for what is no
// text.
std::string VerifierReport(const HloModule& module, const std::string& file, const std::string* text);

}  // namespace hloir::tool
