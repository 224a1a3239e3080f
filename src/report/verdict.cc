// A verdict and its evidence; see hloir/report.h.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hloir/report.h"
#include "json.h"
#include "support/format.h"
#include "support/text.h"

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

std::string Difference(int64_t differing, double largest_relative) {
  return differing == 0 ? "none" : Format("{:.2g}", largest_relative);
}

// "12 of 14 outcomes of …; the first five that no input reached, a line each.
std::string Reached(const Verdict& v) {
  constexpr size_t kShown = 5;
  const size_t total = static_cast<size_t>(v.reached) + v.unreached.size();
  std::string text = Format("{} of {} outcomes of comparisons, branches, loops, clamps and indices", v.reached, total);
  for (size_t k = 0; k < std::min(kShown, v.unreached.size()); ++k) text += "\n  " + Printable(v.unreached[k]);
  if (v.unreached.size() > kShown) text += Format("\n  … and {} more (--json has all)", v.unreached.size() - kShown);
  return text;
}

// "answer: tested on 31 sets of inputs; less-accurate: out0, out3"
std::string Answers(const Verdict& v) {
  constexpr size_t kShown = 8;
  std::string text = Format("answer: {}", AnswerName(v.answer));
  if (v.answer == Answer::kTested) text += Format(" on {} set{} of inputs", v.input_sets, v.input_sets == 1 ? "" : "s");
  std::map<Answer, std::vector<std::string>> others;
  for (const OutputAnswer& output : v.outputs)
    if (output.answer != v.answer) others[output.answer].push_back(output.where);
  for (const auto& [answer, outputs] : others) {
    text += Format("; {}:", AnswerName(answer));
    for (size_t k = 0; k < std::min(kShown, outputs.size()); ++k) text += (k == 0 ? " " : ", ") + outputs[k];
    if (outputs.size() > kShown) text += Format(" and {} more", outputs.size() - kShown);
  }
  text += "\n";
  for (const std::string& assumption : v.assumptions) text += "assumed: " + Printable(assumption) + "\n";
  return text;
}

}  // namespace

std::string LargestDifference(const Verdict& v) { return Difference(v.differing, v.largest_relative); }

std::string StoredDifference(const Verdict& v) {
  return v.stored ? Difference(v.stored->differing(), v.stored->max_relative()) : "";
}

std::string VerdictReport(const Verdict& v) {
  std::string text;
  if (v.devices > 1) text += Format("devices: {}\n", v.devices);
  const auto list = [](const std::vector<std::string>& all) {
    std::string joined;
    for (const std::string& one : all) joined += (joined.empty() ? "" : ", ") + one;
    return joined + "\n";
  };
  if (!v.engines.empty()) text += "engines: " + list(v.engines);
  if (!v.explanations.empty()) text += "explained by: " + list(v.explanations);
  constexpr size_t kShown = 4;
  for (size_t k = 0; k < std::min(kShown, v.finite_only.size()); ++k)
    text += "only where nothing overflows: " + Printable(v.finite_only[k]) + "\n";
  if (v.finite_only.size() > kShown)
    text += Format("only where nothing overflows: {} more (--json has all)\n", v.finite_only.size() - kShown);
  for (const Verdict::Fault& fault : v.faults) text += "known fault: " + Printable(fault.ToString()) + "\n";
  for (const std::string& note : v.notes) text += "note: " + note + "\n";
  if (v.reached > 0 || !v.unreached.empty()) text += "reached: " + Reached(v) + "\n";
  if (!v.engines.empty()) text += "largest difference: " + LargestDifference(v) + "\n";
  const bool proved = v.proof.holds || (v.steps.proved > 0 && v.steps.open == 0);
  text += Format("proof: {}{}\n", proved ? "" : "none; ", Printable(v.proof.how));
  if (v.first_open) {
    text += Format("{}: {}\n", v.answer == Answer::kDifferent ? "first wrong step" : "not proved from",
                   Printable(v.first_open->text));
  }
  text += Answers(v);
  if (v.stored) text += "from the stored results: " + StoredDifference(v) + "\n";
  return text;
}

std::string VerdictJson(const Verdict& verdict) {
  Json outputs = Json::array();
  for (const OutputAnswer& output : verdict.outputs)
    outputs.push_back({{"where", output.where}, {"answer", AnswerName(output.answer)}});
  Json faults = Json::array();
  for (const Verdict::Fault& fault : verdict.faults) {
    faults.push_back({{"name", fault.name},
                      {"what", fault.what},
                      {"before", fault.before},
                      {"after", fault.after},
                      {"issue", fault.issue}});
  }
  Json json = {
      {"verdict", verdict.Headline()},
      {"answer", AnswerName(verdict.answer)},
      {"outputs", std::move(outputs)},
      {"assumptions", verdict.assumptions},
      {"finite_only", verdict.finite_only},
      {"faults", std::move(faults)},
      {"rounds_differently", verdict.rounds_differently},
      {"steps", {{"proved", verdict.steps.proved}, {"tested", verdict.steps.tested}, {"open", verdict.steps.open}}},
      {"tested_steps", verdict.tested_steps},
      {"different_steps", verdict.different_steps},
      {"input_sets", verdict.input_sets},
      {"explanations", verdict.explanations},
      {"agree", verdict.agrees() || verdict.outcome == Outcome::kNotAsStored},
      {"before", TimesJson(verdict.before)},
      {"after", TimesJson(verdict.after)},
      {"times_differ", verdict.times_differ},
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
  if (verdict.first_open) {
    const Verdict::OpenStep& open = *verdict.first_open;
    Json& step = json["first_open"] = {{"device", open.device}, {"whole", open.whole}};
    for (const auto& [key, text] :
         {std::pair("device_source", &open.device_source), std::pair("whole_source", &open.whole_source),
          std::pair("partial", &open.partial), std::pair("partial_source", &open.partial_source)})
      if (!text->empty()) step[key] = *text;
  }
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
