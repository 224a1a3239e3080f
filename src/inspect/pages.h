// The pages' own text: src/inspect/*.html, which the build puts into the library (see CMakeLists.txt). A page has one
// place for its data, as JSON.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

extern const std::string_view kGraphPage, kExplainPage, kDumpsPage, kProfilePage;

// The page with `json` in it, of which no name can end the script that it stands in.
inline std::string FillPage(std::string_view page, std::string_view json) {
  constexpr std::string_view kPlace = "@DATA@";
  const size_t at = page.find(kPlace);
  std::string text(page.substr(0, at));
  text.reserve(page.size() + json.size() + json.size() / 16);
  for (const char c : json) {
    switch (c) {
      case '<': text += "\\u003c"; break;
      case '>': text += "\\u003e"; break;
      case '&': text += "\\u0026"; break;
      default: text += c;
    }
  }
  text += page.substr(at + kPlace.size());
  return text;
}

}  // namespace hloir
