// Inputs and results of a module that runs on several devices: what `run` reads and writes then.
#pragma once

#include <string>
#include <vector>

#include "hloir/devices.h"
#include "hloir/proto.h"
#include "hloir/status.h"

namespace hloir::tool {

// "device3."
std::string DevicePrefix(int64_t device);
// Each device's arguments: device3.in0, device3.in1, … of the .npz at `path`, or in0, in1, … for those that have none
// of their own; for an empty path those that the snapshot has for it, or the same made-up ones for all.
StatusOr<std::vector<std::vector<Literal>>> DeviceArguments(const HloModule& module, const DeviceCounts& counts,
                                                            const std::string& path, uint64_t seed,
                                                            const HloProtoFile* snapshot);
// As device0.out0, …
Status WriteDeviceResults(const std::string& path, const std::vector<std::vector<Literal>>& leaves);

}  // namespace hloir::tool
