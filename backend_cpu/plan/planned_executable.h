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

// What runs on `device`, or, if that is null, on the only one.
StatusOr<std::unique_ptr<HloExecutable>> MakePlannedExecutable(const HloModule& module, LoweredGraph lowered,
                                                               const ExecutableOptions& options,
                                                               const KernelTable& kernels, reference::Device* device);

}  // namespace hloir::cpu
