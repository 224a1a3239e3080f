// See finding.h.
#include "triage/finding.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "report/json.h"
#include "support/format.h"
#include "support/parse_json.h"
#include "support/text.h"

namespace hloir {
namespace {

struct KindNames {
  std::string_view name, words;
};
constexpr KindNames kKinds[] = {{"fault", "compiler's fault"}, {"less-accurate", "less accurate"},
                                {"doubt", "not judged"},       {"undefined", "undefined by HLO"},
                                {"rounding", "rounding"},      {"fine", "fine"}};
static_assert(std::size(kKinds) == kFindingKinds);

}  // namespace

std::string_view FindingKindName(FindingKind kind) { return kKinds[static_cast<size_t>(kind)].name; }
std::string_view FindingKindWords(FindingKind kind) { return kKinds[static_cast<size_t>(kind)].words; }

std::string_view CulpritName(Culprit culprit) {
  switch (culprit) {
    case Culprit::kNone: return "none";
    case Culprit::kProgram: return "program";
    case Culprit::kPass: return "pass";
    case Culprit::kKernel: return "kernel";
    case Culprit::kMachine: return "machine";
    case Culprit::kRounding: return "rounding";
    case Culprit::kUnknown: return "unknown";
  }
  return "";
}

namespace {

// The fields with texts and lists of texts, by their JSON names.
constexpr std::pair<const char*, std::string Finding::*> kTexts[] = {
    {"program", &Finding::program}, {"summary", &Finding::summary},         {"answer", &Finding::answer},
    {"pass", &Finding::pass},       {"instruction", &Finding::instruction}, {"partner", &Finding::partner},
    {"next", &Finding::next}};
constexpr std::pair<const char*, std::vector<std::string> Finding::*> kLists[] = {
    {"details", &Finding::details}, {"notes", &Finding::notes}, {"assumptions", &Finding::assumptions}};
constexpr std::pair<const char*, std::string Verdict::Fault::*> kFaultTexts[] = {{"name", &Verdict::Fault::name},
                                                                                 {"what", &Verdict::Fault::what},
                                                                                 {"before", &Verdict::Fault::before},
                                                                                 {"after", &Verdict::Fault::after},
                                                                                 {"issue", &Verdict::Fault::issue}};

// The enumerator with this name, or the last one.
template <class E, std::string_view (*name_of)(E), int count>
E ByName(const std::string& name) {
  int k = 0;
  while (k < count - 1 && name_of(static_cast<E>(k)) != name) ++k;
  return static_cast<E>(k);
}

}  // namespace

std::string FindingJson(const Finding& f) {
  Json json = {{"class", FindingKindName(f.kind)}, {"culprit", CulpritName(f.culprit)}};
  for (const auto& [key, text] : kTexts) json[key] = f.*text;
  for (const auto& [key, list] : kLists) json[key] = f.*list;
  json["faults"] = Json::array();
  for (const Verdict::Fault& fault : f.faults) {
    Json& row = json["faults"].emplace_back(Json::object());
    for (const auto& [key, text] : kFaultTexts) row[key] = fault.*text;
  }
  json["stages"] = f.stages, json["stored"] = f.stored;
  if (f.bug) json["bug"] = true;
  return JsonLine(json);
}

StatusOr<Finding> ParseFinding(std::string_view text) try {
  const Json json = ParseJson<Json>(text);
  if (!json.is_object() || !json.contains("class")) return InvalidArgument("it is not a finding");
  Finding f;
  const auto value = [](const Json& object, const char* key, auto otherwise) {
    const auto found = object.find(key);
    return found == object.end() ? otherwise : found->template get<decltype(otherwise)>();
  };
  f.kind = ByName<FindingKind, FindingKindName, kFindingKinds>(value(json, "class", std::string()));
  f.culprit =
      ByName<Culprit, CulpritName, static_cast<int>(Culprit::kUnknown) + 1>(value(json, "culprit", std::string()));
  for (const auto& [key, field] : kTexts) f.*field = value(json, key, std::string());
  for (const auto& [key, field] : kLists) f.*field = value(json, key, std::vector<std::string>());
  for (const Json& row : value(json, "faults", Json::array())) {
    Verdict::Fault& fault = f.faults.emplace_back();
    for (const auto& [key, field] : kFaultTexts) fault.*field = value(row, key, std::string());
  }
  f.stages = value(json, "stages", int64_t{0}), f.stored = value(json, "stored", int64_t{0});
  f.bug = value(json, "bug", false);
  return f;
} catch (const Json::exception& error) {  // a field of another type
  return InvalidArgument(error.what());
}

std::string FindingCounts(std::span<const Finding> findings) {
  std::string text = Format("{} program{}", findings.size(), findings.size() == 1 ? "" : "s");
  const char* separator = ":";
  for (int k = 0; k < kFindingKinds; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    const auto count =
        std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.kind == kind; });
    if (count == 0) continue;
    text += Format("{} {} {}", separator, count, FindingKindWords(kind));
    separator = ",";
  }
  return text;
}

std::string FindingReport(const Finding& f) {
  std::string text = Format("{}: {}\n", Printable(f.program), Printable(f.summary));
  for (const std::string& line : f.details) text += "  " + Printable(line) + "\n";
  for (const Verdict::Fault& fault : f.faults) text += "  known fault: " + Printable(fault.ToString()) + "\n";
  for (const std::string& assumed : f.assumptions) text += "  assumed: " + Printable(assumed) + "\n";
  for (const std::string& note : f.notes) text += "  note: " + Printable(note) + "\n";
  text += Format("  culprit: {}\n", CulpritName(f.culprit));
  if (!f.next.empty()) text += "  next: " + Printable(f.next) + "\n";
  return text;
}

}  // namespace hloir
