// An execution profile as a table, as JSON, and as a Chrome trace (chrome://tracing, ui.perfetto.dev).
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "hloir/executable.h"

namespace hloir::tool {

// The steps that took longest first; those without measurable time are summed up in a last row.
std::string ProfileTable(const ExecutionProfile& profile, bool use_color);
nlohmann::ordered_json ProfileJson(const ExecutionProfile& profile);
std::string ChromeTrace(const ExecutionProfile& profile);

}  // namespace hloir::tool
