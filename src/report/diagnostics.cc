// Parses error messages into errors with locations; see hloir/report.h.
#include <algorithm>
#include <charconv>

#include "hloir/report.h"
#include "json.h"

namespace hloir {
namespace {

// Removes "12:" from the beginning of the text.
bool TakeNumber(std::string_view& text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const size_t digits = static_cast<size_t>(end - text.data());
  if (error != std::errc() || digits == text.size() || *end != ':') return false;
  text.remove_prefix(digits + 1);
  return true;
}

}  // namespace

std::vector<Diagnostic> DiagnosticsOf(const Status& status, std::string_view file) {
  std::vector<Diagnostic> all;
  const std::string head = std::string(file) + ":";
  std::string_view rest = status.message();
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const bool is_first = !file.empty() && line.starts_with(head);
    if (!is_first && !all.empty()) continue;  // the source line, the caret, or another line of the same error
    Diagnostic& error = all.emplace_back();
    if (is_first) line.remove_prefix(head.size());
    std::string_view place = line;
    if (is_first && TakeNumber(place, error.line) && TakeNumber(place, error.column)) line = place;
    else error.line = error.column = 0;
    if (is_first && line.starts_with(" error: ")) line.remove_prefix(8);
    error.message = line;
  }
  return all;
}

std::string DiagnosticsJson(const Status& status, std::string_view file) {
  Json errors = Json::array();
  for (const Diagnostic& diagnostic : DiagnosticsOf(status, file)) {
    Json& error = errors.emplace_back();
    if (diagnostic.line > 0) error = {{"line", diagnostic.line}, {"column", diagnostic.column}};
    error["message"] = diagnostic.message;
  }
  return JsonLine(errors);
}

}  // namespace hloir
