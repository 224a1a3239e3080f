// Passes of XLA's pipelines that hloir does not have, and their equivalents. Covered by tests/unit/registry_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// The error for the pass `name`, with hyphens; "" if XLA has no such pass, or hloir has it.
std::string WhyPassIsAbsent(std::string_view name);

// All passes named as equivalents, for a test.
std::string_view AbsentPassReplacement(size_t row);  // "" if none; rows end where it is "end"

}  // namespace hloir
