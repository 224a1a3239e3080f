// The executable of a module that has a plan: its steps, its memory, and a run.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hloir/executable.h"
#include "plan/lower/build_graph.h"
#include "reference/evaluation.h"

namespace hloir::cpu {

// An error if the arguments do not fit the entry's parameters.
Status CheckArguments(const HloComputation& entry, std::span<const Literal* const> arguments);

// The executable of `device`, or, if null, of the only device. With options.cache, `lower` is called again if the file
// of a plan turns out to be of another one.
StatusOr<std::unique_ptr<HloExecutable>> MakePlannedExecutable(const HloModule& module, LoweredGraph lowered,
                                                               const ExecutableOptions& options,
                                                               const KernelTable& kernels, reference::Device* device,
                                                               const std::function<StatusOr<LoweredGraph>()>& lower);

}  // namespace hloir::cpu
