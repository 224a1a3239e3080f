// A value in one line, for following what a module computes.
#pragma once

#include <string>

#include "hloir/literal.h"

namespace hloir::tool {

// "f32[2,3] min -1 max 2.5 mean 0.25 zeros 1 nan 2 inf 0"; a scalar's value; a tuple's number of elements.
std::string ValueSummary(const Literal& value);

}  // namespace hloir::tool
