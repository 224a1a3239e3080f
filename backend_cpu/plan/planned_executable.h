// The executable of a module that has a plan: its steps, its memory, and a run.
#pragma once

#include <memory>
#include <span>

#include "hloir/executable.h"
#include "plan/lower/build_graph.h"
#include "reference/evaluation.h"

namespace hloir::cpu {

// An error if the arguments do not fit the entry's parameters.
Status CheckArguments(const HloComputation& entry, std::span<const Literal* const> arguments);

// The executable of `device`, or, if null, of the only device.
StatusOr<std::unique_ptr<HloExecutable>> MakePlannedExecutable(const HloModule& module, LoweredGraph lowered,
                                                               const ExecutableOptions& options,
                                                               const KernelTable& kernels, reference::Device* device);

}  // namespace hloir::cpu
