// From a FILE of the command line to modules; see modules.h.
#include "tools/modules.h"

#include <utility>

#include <fmt/format.h>

#include "hloir/parser.h"
#include "hloir/verifier.h"
#include "tools/files.h"
#include "tools/gzip.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

// HLO text never begins with a brace.
bool LooksLikeJson(std::string_view content) {
  const size_t at = content.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && content[at] == '{';
}

ModuleFile FromProto(HloProtoFile proto, ModuleFile::Form form) {
  ModuleFile file;
  file.form = form;
  file.modules.push_back(std::move(proto.module));
  file.proto = std::move(proto);
  return file;
}

}  // namespace

StatusOr<ModuleFile> ParseModuleFile(std::string content, const std::string& file, const LoadOptions& options) {
  if (IsGzip(content)) {
    HLOIR_ASSIGN_OR_RETURN(content, Gunzip(content));
  }
  if (LooksLikeJson(content)) {
    HLOIR_ASSIGN_OR_RETURN(HloProtoFile proto, ParseHloProtoJson(content));
    return FromProto(std::move(proto), ModuleFile::Form::kJson);
  }
  if (LooksLikeHloProto(content)) {
    HLOIR_ASSIGN_OR_RETURN(HloProtoFile proto, ParseHloProto(content));
    return FromProto(std::move(proto), ModuleFile::Form::kProto);
  }
  ModuleFile result;
  result.text = std::make_shared<const std::string>(std::move(content));
  ParserOptions parser_options;
  parser_options.file_name = file;
  parser_options.allow_unknown = options.allow_unknown;
  HLOIR_ASSIGN_OR_RETURN(result.modules, ParseHloModules(result.text, parser_options));
  return result;
}

StatusOr<ModuleFile> LoadModules(const std::string& path, const LoadOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(std::string content, ReadFile(path));
  const std::string file = DisplayName(path);
  HLOIR_ASSIGN_OR_RETURN(ModuleFile result, ParseModuleFile(std::move(content), file, options));
  if (options.verify) {
    std::string report;
    for (const auto& module : result.modules) report += VerifierReport(*module, file, result.text.get());
    if (!report.empty()) return InvalidArgument(report);
  }
  return result;
}

StatusOr<ModuleFile> LoadModuleFile(const std::string& path, const LoadOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(ModuleFile file, LoadModules(path, options));
  if (file.modules.size() != 1)
    return InvalidArgument(fmt::format("it holds {} modules, where one is wanted", file.modules.size()));
  return file;
}

StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, const LoadOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(ModuleFile file, LoadModuleFile(path, options));
  return std::move(file.modules.front());
}

std::string VerifierReport(const HloModule& module, const std::string& file, const std::string* text) {
  std::string report;
  for (const VerifierError& error : VerifyModuleAll(module)) {
    if (text != nullptr) {
      report += ErrorAt(file, *text, error.instruction != nullptr ? error.instruction->line() : 0, error.message);
    } else if (error.instruction != nullptr) {
      report += ErrorAt(
          file, "", 0,
          fmt::format("%{} in %{}: {}", error.instruction->name(), error.instruction->parent()->name(), error.message));
    } else {
      report += ErrorAt(file, "", 0, error.message);
    }
  }
  return report;
}

}  // namespace hloir::tool
