// Roundings to types narrower than f32, which compilers may omit inside a computation (excess precision), and explicit
// roundings, which they may not omit.
#pragma once

#include <string>

#include "check/module_under_test.h"

namespace hloir::check {

// For two modules that agree without roundings to narrower types and differ in `seen` with them: the reason for which
// the second module's roundings are not a subset of the first's in digits and cost. Empty if they are.
std::string NarrowsMore(ModuleUnderTest& before, ModuleUnderTest& after, size_t set, const Comparison& seen);

// The reduce-precision, or the conversion to a narrower type and back, on which a differing leaf of `before` depends
// and which `after` omits; empty if there is none.
std::string DroppedRounding(const HloModule& before, const HloModule& after, const Comparison& seen);

}  // namespace hloir::check
