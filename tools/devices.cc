// See devices.h.
#include "tools/devices.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hloir/io.h"

namespace hloir::tool {
namespace {

namespace fs = std::filesystem;

fs::path DeviceFolder() {
  if (const char* folder = std::getenv("HLOIR_DEVICES"); folder != nullptr && *folder != '\0') return folder;
  std::error_code error;
  for (fs::path above = fs::read_symlink("/proc/self/exe", error).parent_path(); above.has_relative_path();
       above = above.parent_path()) {
    for (const char* place : {"share/hloir/devices", "docs/devices"})
      if (fs::is_directory(above / place, error)) return above / place;
  }
  return {};
}

}  // namespace

StatusOr<DeviceDescription> FindDevice(const std::string& name) {
  std::error_code error;
  std::string path = name;
  if (!fs::exists(path, error)) {
    const fs::path folder = DeviceFolder();
    path = (folder / (name.ends_with(".json") ? name : name + ".json")).string();
    if (folder.empty() || name.find('/') != std::string::npos || !fs::exists(path, error)) {
      std::set<std::string> known;
      if (!folder.empty()) {
        for (const auto& entry : fs::directory_iterator(folder, error))
          if (entry.path().extension() == ".json") known.insert(entry.path().stem().string());
      }
      return InvalidArgument(
          fmt::format("there is no device {}; there are {}, or a file of your own", name, fmt::join(known, ", ")));
    }
  }
  HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseDevice(text);
}

}  // namespace hloir::tool
