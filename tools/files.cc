// Whole files in and out; see files.h.
#include "tools/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace hloir::tool {
namespace {

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

Status CannotWrite(const std::string& path) {
  return InvalidArgument(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

Status WriteAll(FILE* file, std::string_view content, const std::string& path) {
  if (std::fwrite(content.data(), 1, content.size(), file) == content.size() && std::fflush(file) == 0)
    return OkStatus();
  return CannotWrite(path);
}

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path) {
  const bool standard = path == "-";
  File opened(standard ? nullptr : std::fopen(path.c_str(), "rb"));
  FILE* file = standard ? stdin : opened.get();
  if (file == nullptr) return InvalidArgument(std::strerror(errno));
  std::string content;
  std::error_code error;
  if (!standard) {
    if (std::filesystem::is_directory(path, error)) return InvalidArgument("it is a directory");
    if (auto size = std::filesystem::file_size(path, error); !error) content.reserve(size);
  }
  char buffer[1 << 16];
  size_t got;
  while ((got = std::fread(buffer, 1, sizeof(buffer), file)) > 0) content.append(buffer, got);
  if (std::ferror(file)) return InvalidArgument(std::strerror(errno));
  return content;
}

Status WriteFile(const std::string& path, std::string_view content) {
  if (path == "-") return WriteAll(stdout, content, "<stdout>");
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    File file(std::fopen(path.c_str(), "wb"));
    if (!file) return CannotWrite(path);
    return WriteAll(file.get(), content, path);
  }
  const std::string temporary = fmt::format("{}.{}.partial", path, getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) return CannotWrite(path);
  Status written = WriteAll(file.get(), content, path);
  file.reset();
  if (written.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) written = CannotWrite(path);
  if (!written.ok()) std::remove(temporary.c_str());
  return written;
}

Status FlushStdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) return CannotWrite("<stdout>");
  return OkStatus();
}

std::string DisplayName(const std::string& path) { return path == "-" ? "<stdin>" : path; }

}  // namespace hloir::tool
