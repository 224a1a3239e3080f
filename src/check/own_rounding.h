// Is a module's result, in its own types, as far from what it means as its roundings explain, and no farther?
#pragma once

#include <string>

#include "check/subject.h"

namespace hloir::check {

// Holds each element of the result on a set of inputs against the same in f64, and says which is farther off than the
// roundings of the module can move it: an engine has computed it in a narrower type than the module says, or wrongly.
// "" if there is none, if the module does not run in f64, and for leaves that depend on what jumps (comparisons,
// roundings to whole numbers, narrow types), as there a rounding may do anything.
std::string BeyondOwnRounding(Subject& subject, size_t set);

}  // namespace hloir::check
