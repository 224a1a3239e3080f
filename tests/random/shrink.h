// Shrink: the smallest module found that still fails, by taking away results, instructions and bodies one after the other
// as long as `fails` says so. Used by pass_fuzzer.cc.
#pragma once

#include <functional>
#include <memory>

#include "hloir/module.h"

namespace hloir {

std::unique_ptr<HloModule> Shrink(const HloModule& module, const std::function<bool(const HloModule&)>& fails);

}  // namespace hloir
