// How much memory a module would take, from its buffer assignment: `opt --memory`.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "hloir/module.h"

namespace hloir::tool {

// Totals, and the values in use at the peak, the largest `most` of them.
std::string MemoryReport(const HloModule& module, bool use_color, size_t most = 12);
nlohmann::ordered_json MemoryToJson(const HloModule& module);

}  // namespace hloir::tool
