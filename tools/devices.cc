// See devices.h.
#include "tools/devices.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tune/calibrate.h"
#include "hloir/passes.h"
#include "hloir/pipeline.h"
#include "tools/progress.h"

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

StatusOr<ModuleFile> LoadForCost(const std::string& path, bool optimize, const std::string& module) {
  HLOIR_ASSIGN_OR_RETURN(ModuleFile file, ReadModuleFile(path));
  if (module.empty() && file.measured.empty() && file.modules.size() > 1)
    return InvalidArgument(fmt::format("it holds {} modules, expected one (or --module=NAME)", file.modules.size()));
  const auto wanted = std::find_if(file.modules.begin(), file.modules.end(),
                                   [&](const auto& each) { return module.empty() || each->name() == module; });
  if (wanted == file.modules.end()) return InvalidArgument(fmt::format("it holds no module '{}'", module));
  const size_t at = static_cast<size_t>(wanted - file.modules.begin());
  std::swap(file.modules[0], file.modules[at]);
  file.modules.resize(1);
  if (!file.measured.empty()) {
    std::swap(file.measured[0], file.measured[at]);
    file.measured.resize(1);
  }
  if (optimize && !file.measured.empty())
    return InvalidArgument("--optimize would change the instructions whose times the profile has");
  if (optimize) {
    // Trip counts are recorded first, because fusion hides the loops' counters.
    const std::vector<std::string> note{"while-loop-trip-count-annotator"};
    for (const std::vector<std::string>& passes : {note, {}}) {
      HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(passes, {}));
      HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(file.module()).status());
    }
  }
  return file;
}

StatusOr<WhatIfMesh> MeshFor(const HloModule& module, const std::string& text) {
  HLOIR_ASSIGN_OR_RETURN(WhatIfMesh mesh, ParseWhatIfMesh(text));
  const NamedDevices named_devices = NamedDevicesOf(module);
  const int64_t devices = named_devices.replicas * named_devices.partitions;
  if (DeviceCount(mesh.mesh) == devices) return mesh;
  if (const std::optional<Mesh> named = FindMesh(module); named && named->axes.size() == mesh.mesh.axes.size()) {
    bool same = true;
    for (size_t axis = 0; axis < named->axes.size(); ++axis)
      same = same && named->axes[axis].first == mesh.mesh.axes[axis].first;
    if (same) return mesh.mesh = *named, mesh;
  }
  return InvalidArgument(
      fmt::format("mesh {} has {} devices, and the module runs on {}; what if axis a had 64 rather than 8 is a=8:64",
                  text, DeviceCount(mesh.mesh), devices));
}

StatusOr<DeviceDescription> FindDevice(const std::string& name, int threads) {
  if (name == "cpu") {
    CalibrationOptions options;
    options.threads = threads;
    std::optional<Progress> bar;
    options.on_progress = [&](int64_t done, int64_t total) {
      if (!bar) bar.emplace(static_cast<size_t>(total));
      bar->Show(static_cast<size_t>(done), "measurements");
    };
    return CalibrateThisMachine(options);
  }
  std::error_code error;
  std::string path = name;
  if (!fs::exists(path, error)) {
    const fs::path folder = DeviceFolder();
    std::string file = name.ends_with(".json") ? name : name + ".json";
    std::transform(file.begin(), file.end(), file.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    path = (folder / file).string();
    if (folder.empty() || name.find('/') != std::string::npos || !fs::exists(path, error)) {
      std::set<std::string> described;
      if (!folder.empty()) {
        for (const auto& entry : fs::directory_iterator(folder, error))
          if (entry.path().extension() == ".json") described.insert(entry.path().stem().string());
      }
      std::vector<std::string> known{"cpu"};
      known.insert(known.end(), described.begin(), described.end());
      return InvalidArgument(fmt::format("unknown device {}; known are {}, or a file", name, fmt::join(known, ", ")));
    }
  }
  HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseDevice(text);
}

}  // namespace hloir::tool
