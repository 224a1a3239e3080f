// backend_config of XLA's GPU calls, read as proto3 writes JSON: numbers may be texts, enumerators names or numbers,
// and fields with their default may be missing. Used by the builders (custom_calls.cc) and the cost analysis
// (analysis/custom_call_cost.cc). Tests: tests/unit/custom_calls_test.cc, cost_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "hloir/instruction.h"

namespace hloir::custom_calls {

using Json = nlohmann::json;

// The config, or {}: old calls have other bytes in this attribute.
Json ReadConfig(const HloInstruction& call);
// A message of the config: the field of that name or, as in older XLA versions, the whole config.
const Json& Section(const Json& config, const char* name);
double Float(const Json& message, const char* field, double otherwise = 0);
bool Flag(const Json& message, const char* field, bool otherwise = false);
// The enumerator's name; `names` are those of 0, 1, …
std::string Choice(const Json& message, const char* field, std::span<const std::string_view> names);
// A list of sizes or dimensions; -1 for invalid entries.
DimVector Numbers(const Json& message, const char* field);
DotAttributes DotDimensions(const Json& message, const char* field);

// The epilogue of a matrix product, as XLA's GemmBackendConfig numbers it; the last two are hipBLASLt's.
inline constexpr std::string_view kEpilogues[] = {"DEFAULT",  "BIAS",      "RELU",          "BIAS_RELU", "GELU",
                                                  "GELU_AUX", "BIAS_GELU", "BIAS_GELU_AUX", "SILU",      "BIAS_SILU"};

}  // namespace hloir::custom_calls
