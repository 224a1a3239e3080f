// The module before, after and between passes; see ModuleDumper in hloir/io.h.
#include <cctype>
#include <filesystem>

#include "hloir/io.h"
#include "support/format.h"

namespace hloir {
namespace {

// Converts a module's or pass's name to a part of a file name.
std::string FileSafe(std::string_view name) {
  std::string safe(name.substr(0, 100));
  for (char& c : safe) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  }
  return safe;
}

}  // namespace

StatusOr<ModuleDumper> ModuleDumper::Create(const std::string& folder, const HloModule& module) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return InvalidArgument(Format("cannot create the folder {}: {}", folder, error.message()));
  ModuleDumper dumper;
  dumper.folder_ = folder;
  dumper.name_ = FileSafe(module.name());
  return dumper;
}

Status ModuleDumper::BeforeAll(const HloModule& module) { return Write("before_optimizations", module); }

Status ModuleDumper::AfterPass(std::string_view pass, int64_t number, const HloModule& module) {
  return Write(Format("{:04}.after_{}", number, FileSafe(pass)), module);
}

Status ModuleDumper::AfterAll(const HloModule& module) { return Write("after_optimizations", module); }

Status ModuleDumper::Write(const std::string& what, const HloModule& module) {
  const std::filesystem::path file = std::filesystem::path(folder_) / Format("module_0000.{}.{}.txt", name_, what);
  return WriteFile(file.string(),
                   [&](const WriteText& write) { return PrintModule(module, PrintOptions::Readable(), write); });
}

}  // namespace hloir
