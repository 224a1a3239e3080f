// JSON as text: the one way in which reports write it. Bytes that are no UTF-8 (names may hold any) are replaced.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace hloir {

using Json = nlohmann::ordered_json;

inline std::string JsonLine(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace hloir
