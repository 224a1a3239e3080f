// From a FILE of the command line to a module; see modules.h.
#include "tools/modules.h"

#include <utility>

#include "hloir/parser.h"
#include "hloir/verifier.h"
#include "tools/files.h"
#include "tools/report.h"

namespace hloir::tool {

StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, const LoadOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  ParserOptions parser_options;
  parser_options.file_name = DisplayName(path);
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloModule(text, parser_options));
  if (options.verify) {
    if (std::string report = VerifierReport(*module, DisplayName(path), text); !report.empty()) return InvalidArgument(report);
  }
  return module;
}

std::string VerifierReport(const HloModule& module, const std::string& file, const std::string& text) {
  std::string report;
  for (const VerifierError& error : VerifyModuleAll(module)) {
    report += ErrorAt(file, text, error.instruction != nullptr ? error.instruction->line() : 0, error.message);
  }
  return report;
}

}  // namespace hloir::tool
