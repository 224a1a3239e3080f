// See write_at_once.h.
#include "support/write_at_once.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "support/format.h"

namespace hloir {

Status WriteAtOnce(const std::string& path, std::string_view contents) {
  namespace fs = std::filesystem;
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
