// ParseJson: JSON from untrusted sources. nlohmann's parser and its values recurse on nesting, so the depth is checked
// first.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace hloir {

inline bool NestsDeeperThan(std::string_view json, int limit) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (in_string) {
      if (json[i] == '\\') ++i;
      else if (json[i] == '"') in_string = false;
    } else if (json[i] == '"') {
      in_string = true;
    } else if (json[i] == '{' || json[i] == '[') {
      if (++depth > limit) return true;
    } else if (json[i] == '}' || json[i] == ']') {
      --depth;
    }
  }
  return false;
}

// Returns a discarded value if the text is not JSON or exceeds the limit on nesting.
template <class Json>
Json ParseJson(std::string_view text) {
  constexpr int kMostNesting = 64;
  if (NestsDeeperThan(text, kMostNesting)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace hloir
