// See cache_file.h.
#include "support/cache_file.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "support/format.h"

namespace hloir {

namespace fs = std::filesystem;

StatusOr<std::optional<std::string>> ReadCacheFile(const std::string& path, uint64_t most) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (!in || fs::is_directory(path, error)) return std::optional<std::string>();
  const uintmax_t size = fs::file_size(path, error);
  if (error || size > most) return InvalidArgument("it is damaged");
  std::string contents(static_cast<size_t>(size), '\0');
  in.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  contents.resize(static_cast<size_t>(in.gcount()));
  return std::optional<std::string>(std::move(contents));
}

Status WriteAtOnce(const std::string& path, std::string_view contents) {
  static std::atomic<int> count{0};
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) fs::create_directories(folder, error);
  const std::string temporary = Format("{}.{}.{}", path, static_cast<int64_t>(getpid()), count.fetch_add(1));
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    out.flush();
    if (!out) error = std::make_error_code(std::errc::io_error);
    else error.clear();
  }
  if (!error) fs::rename(temporary, path, error);
  if (!error) return OkStatus();
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return InvalidArgument(Format("{} cannot be written", path));
}

}  // namespace hloir
