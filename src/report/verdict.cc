// A verdict, with what led to it; see hloir/report.h.
#include "hloir/report.h"
#include "json.h"

namespace hloir {
namespace {

Json TimesJson(const Timing& timing) {
  return {{"run_ms", timing.median}, {"run_ms_low", timing.low}, {"run_ms_high", timing.high}};
}

Json LeavesJson(const Comparison& comparison) {
  Json leaves = Json::array();
  for (const LeafDifference& leaf : comparison.leaves) {
    leaves.push_back({{"where", leaf.where},
                      {"agrees", leaf.agrees},
                      {"differing", leaf.differing},
                      {"total", leaf.total},
                      {"finite", leaf.finite},
                      {"max_absolute", leaf.max_absolute},
                      {"max_relative", leaf.max_relative},
                      {"allowed_relative", leaf.allowed_relative}});
  }
  return leaves;
}

}  // namespace

std::string VerdictJson(const Verdict& verdict) {
  Json json = {{"verdict", OutcomeName(verdict.outcome)},
               {"agree", verdict.agrees() || verdict.outcome == Outcome::kNotAsStored},
               {"before", TimesJson(verdict.before)},
               {"after", TimesJson(verdict.after)},
               {"times_differ", TimesDiffer(verdict.before, verdict.after)},
               {"engines", verdict.engines},
               {"reached", verdict.reached},
               {"unreached", verdict.unreached},
               {"devices", verdict.devices},
               {"differing_elements", verdict.differing},
               {"largest_relative_difference", verdict.largest_relative}};
  if (verdict.stored) {
    json["stored"] = {{"agree", verdict.stored->agree},
                      {"differing_elements", verdict.stored->differing()},
                      {"largest_relative_difference", verdict.stored->max_relative()}};
  }
  if (!verdict.proof.how.empty()) json["proof"] = {{"holds", verdict.proof.holds}, {"how", verdict.proof.how}};
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (!verdict.notes.empty()) json["notes"] = verdict.notes;
  if (verdict.divergence) {
    const Divergence& first = *verdict.divergence;
    Json& json_first = json["first_difference"];
    json_first = {{"instruction", first.instruction},
                  {"partner", first.partner},
                  {"by_structure", first.by_structure},
                  {"runs_before", first.run},
                  {"before", first.before},
                  {"after", first.after},
                  {"text", first.text},
                  {"partner_text", first.partner_text}};
    for (const auto& [key, operands] :
         {std::pair("operands", &first.operands), std::pair("partner_operands", &first.partner_operands)}) {
      json_first[key] = Json::array();
      for (const Divergence::Operand& operand : *operands)
        json_first[key].push_back({{"name", operand.name}, {"value", operand.value}});
    }
    if (!first.rule.empty()) json_first["rule"] = first.rule;
  }
  json["leaves"] = LeavesJson(verdict.comparison);
  return JsonLine(json);
}

}  // namespace hloir
