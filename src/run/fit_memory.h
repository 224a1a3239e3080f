// Fits a module's plan into a limit of memory by the passes hlo-memory-scheduler and rematerialization. The passes'
// estimates do not include the engine's fusion, so that their limit is lowered until the plan fits. Used by Runner and
// PlanCache; tests: tests/unit/plan_cache_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// The first rewritten module whose plan fits, for which `arena_of` was called last; nullptr if `module`'s own does.
// `arena_of` prepares a module and returns the bytes of its arena. ResourceExhausted, with both sizes, if none fits.
StatusOr<std::unique_ptr<HloModule>> FitToMemory(const HloModule& module, int64_t limit,
                                                 const std::function<StatusOr<int64_t>(const HloModule&)>& arena_of);

}  // namespace hloir
