// The records of a RewriteLog as text and as JSON: for `opt --trace`, `--dry-run` and `--bisect`.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "hloir/rewriter.h"

namespace hloir::tool {

nlohmann::ordered_json ToJson(const RewriteLog::Entry& entry);
// One JSON object a line.
std::string ToJsonLines(const RewriteLog& log);
// For people: the id, then the formula with its class, what it is about, and why, each on a line.
std::string Describe(const RewriteLog::Entry& entry);

}  // namespace hloir::tool
