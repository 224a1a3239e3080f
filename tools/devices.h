// Which device a flag means: a file, or the name of a description that comes with hloir.
#pragma once

#include <string>

#include "hloir/analysis/device.h"
#include "hloir/status.h"

namespace hloir::tool {

// "h100" and "h100.json" are looked for as files, then in what HLOIR_DEVICES says, else in share/hloir/devices of where
// hloir is installed, or docs/devices of the tree that it was built in. "cpu" is this machine, measured.
StatusOr<DeviceDescription> FindDevice(const std::string& name);

}  // namespace hloir::tool
