// Files with modules and measured times. Profiles of the TensorFlow profiler (.xplane.pb, as jax.profiler writes them)
// have the time of each instruction, samples of the data set TpuGraphs the time of a module under each configuration.
#pragma once

#include <string_view>

#include "hloir/io.h"

namespace hloir {

// True for an XSpace message with a plane of a host or a device.
bool LooksLikeProfile(std::string_view bytes);

// The modules of the profile with their times, the one with the longest time first. Modules without times come last.
// InvalidArgument if the bytes are corrupt or hold no module.
Status ParseProfile(std::string_view bytes, ModuleFile& file);

// True for the messages ModuleTuningData and TuningData of TpuGraphs.
bool LooksLikeTuningData(std::string_view bytes);

// The modules, each with the time under the default configuration, or, if none is marked so, the least time.
// InvalidArgument if the bytes are corrupt or hold no module.
Status ParseTuningData(std::string_view bytes, ModuleFile& file);

}  // namespace hloir
