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
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (!verdict.notes.empty()) json["notes"] = verdict.notes;
  if (verdict.divergence) {
    json["first_difference"] = {{"instruction", verdict.divergence->instruction},
                                {"runs_before", verdict.divergence->run},
                                {"before", verdict.divergence->before},
                                {"after", verdict.divergence->after}};
  }
  json["leaves"] = LeavesJson(verdict.comparison);
  return JsonLine(json);
}

}  // namespace hloir
