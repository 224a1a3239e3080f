// See devices.h.
#include "tools/devices.h"

#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/npz.h"

namespace hloir::tool {

std::string DevicePrefix(int64_t device) { return fmt::format("device{}.", device); }

StatusOr<std::vector<std::vector<Literal>>> DeviceArguments(const HloModule& module, const DeviceCounts& counts,
                                                            const std::string& path, uint64_t seed,
                                                            const HloProtoFile* snapshot) {
  std::vector<std::vector<Literal>> all;
  for (int64_t d = 0; d < counts.devices(); ++d) {
    if (snapshot != nullptr) {
      const int64_t partitions = static_cast<int64_t>(snapshot->arguments.size());
      HLOIR_ASSIGN_OR_RETURN(StoredValues stored,
                             StoredValuesOf(*snapshot, d % counts.partitions < partitions ? d % counts.partitions : 0));
      HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, ArgumentsFromLeaves(module, std::move(stored.inputs)));
      all.push_back(std::move(arguments));
      continue;
    }
    if (!path.empty()) {
      const std::string own = DevicePrefix(d) + "in";
      HLOIR_ASSIGN_OR_RETURN(const bool has_own, NpzHas(path, own));
      HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> leaves, ReadNpz(path, has_own ? own : "in"));
      StatusOr<std::vector<Literal>> arguments = ArgumentsFromLeaves(module, std::move(leaves));
      if (!arguments.ok()) {
        return Status(arguments.status().code(),
                      fmt::format("{}: {}{}", path, has_own ? DevicePrefix(d) : "", arguments.status().message()));
      }
      all.push_back(std::move(*arguments));
      continue;
    }
    if (d > 0) {
      all.push_back(all[0]);
      continue;
    }
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, MakeArguments(module, "", seed));
    all.push_back(std::move(arguments));
  }
  return all;
}

Status WriteDeviceResults(const std::string& path, const std::vector<std::vector<Literal>>& leaves) {
  std::vector<std::string> prefixes;
  for (size_t d = 0; d < leaves.size(); ++d) prefixes.push_back(DevicePrefix(static_cast<int64_t>(d)) + "out");
  std::vector<NpzLeaves> all;
  for (size_t d = 0; d < leaves.size(); ++d) all.push_back({prefixes[d], Pointers(leaves[d])});
  return WriteNpz(path, all);
}

}  // namespace hloir::tool
