// A name without its number, as XLA counts names: x of x.12. Used where names are made unique (computation.cc,
// text_order.cc).
#pragma once

#include <string_view>

namespace hloir {

inline std::string_view NameRoot(std::string_view name) {
  const size_t dot = name.rfind('.');
  const bool numbered = dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
                        name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return numbered ? name.substr(0, dot) : name;
}

}  // namespace hloir
