// See rewrites.h.
#include "tools/rewrites.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hloir::tool {
namespace {

const char* Word(MathMode math) {
  switch (math) {
    case MathMode::kExact: return "exact";
    case MathMode::kRounding: return "rounding";
    case MathMode::kFast: return "fast";
  }
  return "";
}

const char* Word(RewriteLog::Outcome outcome) {
  switch (outcome) {
    case RewriteLog::Outcome::kApplied: return "applied";
    case RewriteLog::Outcome::kProposed: return "proposed";
    case RewriteLog::Outcome::kDeclined: return "declined";
  }
  return "";
}

// Each line of `text` behind `head`, later ones behind as many blanks.
std::string Indented(std::string head, std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    result += head;
    result += text.substr(0, end);
    result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
    head.assign(head.size(), ' ');
  }
  return result;
}

}  // namespace

nlohmann::ordered_json ToJson(const RewriteLog::Entry& entry) {
  nlohmann::ordered_json json = {{"id", entry.id},
                                 {"outcome", Word(entry.outcome)},
                                 {"pass", entry.pass},
                                 {"rule", entry.rule},
                                 {"formula", entry.formula},
                                 {"math", Word(entry.math)},
                                 {"computation", entry.computation},
                                 {"instruction", entry.instruction},
                                 {"operands", entry.operands},
                                 {"reason", entry.reason},
                                 {"before", entry.before}};
  if (entry.outcome == RewriteLog::Outcome::kApplied) json["after"] = entry.after;
  json["sources"] = entry.sources;
  return json;
}

std::string ToJsonLines(const RewriteLog& log) {
  std::string lines;
  for (const RewriteLog::Entry& entry : log.entries()) {
    lines += ToJson(entry).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return lines;
}

std::string Describe(const RewriteLog::Entry& entry) {
  std::string text = entry.id + "\n";
  text += fmt::format("  {}  [{}]\n", entry.formula, Word(entry.math));
  if (!entry.reason.empty()) text += Indented("  because ", entry.reason);
  text += Indented("  - ", entry.before);
  if (!entry.after.empty()) text += Indented("  + ", entry.after);
  for (const std::string& source : entry.sources) text += fmt::format("  from {}\n", source);
  return text;
}

}  // namespace hloir::tool
