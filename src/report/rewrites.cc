// Reports on single rewrites and on bisections; see hloir/report.h.
#include "hloir/report.h"
#include "json.h"
#include "support/format.h"

namespace hloir {
namespace {

const char* Word(RewriteLog::Outcome outcome) {
  switch (outcome) {
    case RewriteLog::Outcome::kApplied: return "applied";
    case RewriteLog::Outcome::kProposed: return "proposed";
    case RewriteLog::Outcome::kDeclined: return "declined";
  }
  return "";
}

// Indents the lines of `text`: `head` before the first, as many blanks before the others.
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

std::string_view MathModeName(MathMode math) {
  switch (math) {
    case MathMode::kExact: return "exact";
    case MathMode::kRounding: return "rounding";
    case MathMode::kFast: return "fast";
  }
  return "";
}

std::string RewriteReportJson(const RewriteLog::Entry& entry) {
  Json json = {{"id", entry.id},
               {"outcome", Word(entry.outcome)},
               {"pass", entry.pass},
               {"rule", entry.rule},
               {"formula", entry.formula},
               {"math", MathModeName(entry.math)},
               {"computation", entry.computation},
               {"instruction", entry.instruction},
               {"operands", entry.operands},
               {"reason", entry.reason},
               {"before", entry.before}};
  if (entry.outcome == RewriteLog::Outcome::kApplied || !entry.after.empty()) json["after"] = entry.after;
  if (!entry.conflicts.empty()) json["conflicts"] = entry.conflicts;
  json["sources"] = entry.sources;
  return JsonLine(json);
}

std::string RewriteReport(const RewriteLog::Entry& entry) {
  std::string text = entry.id;
  if (entry.outcome == RewriteLog::Outcome::kDeclined) text += "  (declined)";
  text += "\n";
  text += Format("  {}  [{}]\n", entry.formula, MathModeName(entry.math));
  if (!entry.reason.empty()) text += Indented("  because ", entry.reason);
  text += Indented("  - ", entry.before);
  if (!entry.after.empty()) text += Indented("  + ", entry.after);
  for (const std::string& source : entry.sources) text += Format("  from {}\n", source);
  return text;
}

std::string BisectionReport(const Bisection& found) {
  if (found.guilty < 0) return Format("none of the {} rewrites changes the results\n", found.rewrites);
  return Format("rewrite {} of {} changes the results: {}\n{}", found.guilty + 1, found.rewrites, found.reason,
                RewriteReport(found.record));
}

std::string BisectionReportJson(const Bisection& found) {
  Json json = {{"rewrites", found.rewrites}};
  if (found.guilty >= 0) {
    json["number"] = found.guilty + 1, json["reason"] = found.reason;
    json["rewrite"] = Json::parse(RewriteReportJson(found.record));
  }
  return JsonLine(json);
}

}  // namespace hloir
