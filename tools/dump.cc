// See dump.h.
#include "tools/dump.h"

#include <filesystem>

#include <fmt/format.h>
#include <re2/re2.h>

#include "hloir/printer.h"
#include "tools/files.h"

namespace hloir::tool {
namespace {

std::string Print(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

// A module's or pass's name as part of a file's name.
std::string FileSafe(std::string_view name) {
  std::string safe(name.substr(0, 100));
  for (char& c : safe) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  }
  return safe;
}

}  // namespace

struct Dumper::Pattern {
  RE2 expression;
};

Dumper::Dumper() = default;
Dumper::~Dumper() = default;

StatusOr<std::unique_ptr<Dumper>> Dumper::Create(const std::string& folder, const std::string& pass_pattern,
                                                 const HloModule& module) {
  std::unique_ptr<Dumper> dumper(new Dumper);
  dumper->pattern_.reset(new Pattern{RE2(pass_pattern, RE2::Quiet)});
  if (!dumper->pattern_->expression.ok()) {
    return InvalidArgument(fmt::format("--dump-pass-re={}: {}", pass_pattern, dumper->pattern_->expression.error()));
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return InvalidArgument(fmt::format("cannot create the folder {}: {}", folder, error.message()));
  dumper->folder_ = folder;
  dumper->name_ = FileSafe(module.name());
  return dumper;
}

Status Dumper::BeforeAll(const HloModule& module) {
  last_ = Print(module);
  return Write("before_optimizations", last_);
}

Status Dumper::AfterPass(std::string_view pass, const HloModule& module) {
  ++number_;
  std::string text = Print(module);
  if (text == last_) return OkStatus();
  last_ = std::move(text);
  if (!RE2::PartialMatch({pass.data(), pass.size()}, pattern_->expression)) return OkStatus();
  return Write(fmt::format("{:04}.after_{}", number_, FileSafe(pass)), last_);
}

Status Dumper::AfterAll(const HloModule& module) { return Write("after_optimizations", Print(module)); }

Status Dumper::Write(const std::string& what, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(folder_) / fmt::format("module_0000.{}.{}.txt", name_, what);
  return WriteFile(file.string(), text);
}

}  // namespace hloir::tool
