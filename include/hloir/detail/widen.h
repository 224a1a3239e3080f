// A module in other floating arithmetic, by which rounding errors are measured. Not promised.
#pragma once

#include <memory>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// A copy of the module in wider floating arithmetic (f64 for f32, f32 for bf16, f16 and f8): the entry's parameters
// keep their types and are converted. So do the operands and results of ops that tie a type down (bitcast-convert, rng,
// most custom-calls). Unimplemented where such an op has results that cannot be converted.
StatusOr<std::unique_ptr<HloModule>> WidenModule(const HloModule& module);
// The same the other way, f32 for f64 and c64 for c128; other types stay. It measures the error of f64, which nothing
// is wider than: what f32 loses, f64 loses too, 2^-29 times as much.
StatusOr<std::unique_ptr<HloModule>> NarrowModule(const HloModule& module);

}  // namespace hloir
#pragma GCC visibility pop
