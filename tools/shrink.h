// Shrink: the smallest module found that still fails, by taking away results, instructions and bodies one after the
// other, many at once to begin with, as long as `fails` says so. An instruction of the entry computation that is cut
// off leaves a parameter of its name, so that whoever knows its value can feed it. Used by `verify --save` and by
// tests/random/pass_fuzzer.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hloir/module.h"

namespace hloir::tool {

// After `max_attempts` smaller modules that were looked at, what there is by then.
std::unique_ptr<HloModule> Shrink(const HloModule& module, const std::function<bool(const HloModule&)>& fails,
                                  int64_t max_attempts = INT64_MAX);

}  // namespace hloir::tool
