// A module prepared for several devices: an executable for each, of either engine, on its own threads. The devices
// exchange data through Rendezvous (devices.h).
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "devices/devices.h"
#include "hloir/executable.h"

namespace hloir::reference {

using PrepareOne = std::function<StatusOr<std::unique_ptr<HloExecutable>>(Device& device, const HloModule& program,
                                                                          const ExecutableOptions& options)>;
// `programs`: one, or each partition's; not owned. `options` are those of PrepareOnDevices, with a positive number of
// threads.
StatusOr<std::unique_ptr<HloDeviceExecutable>> PrepareDevices(const DeviceCounts& counts,
                                                              std::span<const HloModule* const> programs,
                                                              const ExecutableOptions& options,
                                                              const PrepareOne& prepare);

}  // namespace hloir::reference
