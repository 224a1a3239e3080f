// Arguments of hloir cost and hloir export: the module, the mesh, and the device, a file or the name of a description
// that comes with hloir.
#pragma once

#include <string>

#include "hloir/cost.h"
#include "hloir/io.h"
#include "hloir/status.h"

namespace hloir::tool {

// Files named "h100" and "h100.json" come first, then those in the folder HLOIR_DEVICES, else in share/hloir/devices of
// the installation, or docs/devices of the source tree. "cpu" is this machine, measured with this number of threads of
// the engine (0: one per core).
StatusOr<DeviceDescription> FindDevice(const std::string& name, int threads = 0);

// A file with one module, after the default passes if the flags request them. Of a file with several, the one of that
// name; of a profile without a name, the one with the longest time. The others are dropped.
StatusOr<ModuleFile> LoadForCost(const std::string& path, bool optimize, const std::string& module = "");

// Checks that the requested mesh fits the module's devices, unless the module has a mesh with the same axes: then the
// sizes are hypothetical.
StatusOr<WhatIfMesh> MeshFor(const HloModule& module, const std::string& text);

}  // namespace hloir::tool
