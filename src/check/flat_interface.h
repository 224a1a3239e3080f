// One interface for two modules that take and return the same arrays in other forms: in tuples or one by one, or
// without parameters that the program does not use, as JAX and PyTorch/XLA write them. Covered by
// tests/unit/flat_interface_test.cc.
#pragma once

#include <string>

#include "hloir/module.h"

namespace hloir::check {

// Returns whether both modules have entry computations, and these take and return compatible shapes.
bool SameInterface(const HloModule& a, const HloModule& b);

// If the interfaces differ, and both modules have the same arrays in the same order, once those that are not read are
// left out of the longer list: gives both an entry computation that takes these arrays one by one and returns one array
// or a flat tuple. Aliases and layouts of the entry are dropped. Returns a sentence that says so. Otherwise, and for
// modules of several devices, changes nothing and returns "".
std::string GiveOneInterface(HloModule& before, HloModule& after);

}  // namespace hloir::check
