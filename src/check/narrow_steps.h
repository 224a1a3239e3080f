// Roundings to types narrower than f32, which compilers may leave out inside a computation (excess precision), and
// roundings that a module asks for by an instruction of their own, which they may not.
#pragma once

#include <string>

#include "check/module_under_test.h"

namespace hloir::check {

// Two modules that agree if neither rounds to narrower types, and differ in `seen` if both do: why the second one's
// roundings are not a subset of the first one's in digits and cost; "" if they are.
std::string NarrowsMore(ModuleUnderTest& before, ModuleUnderTest& after, size_t set, const Comparison& seen);

// The reduce-precision, or the conversion there and back, that `before` has on the way to a leaf in which `seen` does
// not agree and `after` lacks; "" if there is none.
std::string DroppedRounding(const HloModule& before, const HloModule& after, const Comparison& seen);

}  // namespace hloir::check
