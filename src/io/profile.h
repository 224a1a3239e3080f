// Profiles of the TensorFlow profiler (.xplane.pb, as jax.profiler writes them): the modules that ran, and the time of
// each of their instructions.
#pragma once

#include <string_view>

#include "hloir/io.h"

namespace hloir {

// True for an XSpace message with a plane of a host or a device.
bool LooksLikeProfile(std::string_view bytes);

// The modules of the profile with their times, the one with the longest time first. Modules without times come last.
// InvalidArgument if the bytes are corrupt or hold no module.
Status ParseProfile(std::string_view bytes, ModuleFile& file);

}  // namespace hloir
