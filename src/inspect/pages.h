// The templates of pages: src/inspect/*.html, embedded in the library (see CMakeLists.txt). A page has one placeholder
// for its data, as JSON.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

extern const std::string_view kGraphPage, kDiffPage, kExplainPage, kDumpsPage, kProfilePage, kTriagePage;

// Escapes JSON, so that no name in it can end the surrounding script.
inline std::string ForScript(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    switch (c) {
      case '<': text += "\\u003c"; break;
      case '>': text += "\\u003e"; break;
      case '&': text += "\\u0026"; break;
      default: text += c;
    }
  }
  return text;
}

// The page with `json` and `more` in its placeholders.
inline std::string FillPage(std::string_view page, std::string_view json, std::string_view more = {}) {
  constexpr std::string_view kPlace = "@DATA@", kMore = "@MORE@";
  const size_t at = page.find(kPlace);
  std::string text(page.substr(0, at));
  text += ForScript(json);
  page.remove_prefix(at + kPlace.size());
  if (const size_t rest = page.find(kMore); rest != std::string_view::npos) {
    text += page.substr(0, rest);
    text += more;
    page.remove_prefix(rest + kMore.size());
  }
  text += page;
  return text;
}

}  // namespace hloir
