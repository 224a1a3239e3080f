// NestsDeeperThan: asked before a text is given to nlohmann's parser, which recurses on nesting.
#pragma once

#include <string_view>

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

}  // namespace hloir
