// JSON as text: the writer that all reports use. Bytes that are not UTF-8 (names may hold any) are replaced.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace hloir {

using Json = nlohmann::ordered_json;

inline std::string JsonLine(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Counts are integers: 604 rather than 604.0.
inline Json WholeNumber(double count) {
  return count > -0x1p53 && count < 0x1p53 ? Json(static_cast<int64_t>(count)) : Json(count);
}

}  // namespace hloir
