// Arguments of hloir cost and hloir export: the module, the mesh, and the device, a file or the name of a description
// that comes with hloir.
#pragma once

#include <string>

#include "hloir/cost.h"
#include "hloir/io.h"
#include "hloir/status.h"

namespace hloir::tool {

// Files named "h100" and "h100.json" come first, then those in the folder HLOIR_DEVICES, else in share/hloir/devices of
// the installation, or docs/devices of the source tree. "cpu" is this machine, measured with so many threads of the
// engine (0: as many as it has).
StatusOr<DeviceDescription> FindDevice(const std::string& name, int threads = 0);

// A file's one module, after the default passes if they are asked for.
StatusOr<ModuleFile> LoadForCost(const std::string& path, bool optimize);

// The mesh that is asked for fits the module's devices, unless the module names one with the same axes: then its sizes
// are a what-if.
StatusOr<WhatIfMesh> MeshFor(const HloModule& module, const std::string& text);

}  // namespace hloir::tool
