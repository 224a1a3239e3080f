// See inspect/tune_report.h.
#include "inspect/tune_report.h"

#include <algorithm>
#include <cmath>

#include "hloir/report.h"
#include "report/json.h"
#include "report/table.h"
#include "support/format.h"
#include "support/text.h"

namespace hloir {
namespace {

std::string PartInWords(double part) {
  if (std::abs(part - 1) < 5e-5) return "the same";
  return Format("{:+.1f} %", 100 * (part - 1));
}

// The text for the times: a ratio only if it is significant.
std::string TimesInWords(const PairedTimes& times) {
  if (!times.differ()) return Format("no difference beyond noise in {} pairs of runs", times.pairs);
  return Format("{:.3f} of the time; 95 % between {:.3f} and {:.3f}, {} pairs of runs, sign test p {:.1g}", times.ratio,
                times.low, times.high, times.pairs, times.sign_p);
}

Json TuneCostAsJson(const TuneCost& cost) {
  return {{"bytes", cost.bytes},
          {"operations", cost.operations},
          {"roofline", cost.roofline},
          {"instructions", cost.instructions}};
}

}  // namespace

std::string TuneCostReport(const HloModule& module, const TuneCost& u, const TuneCost& f, const TuneCost& b) {
  Table costs({"module " + ShortName(module.name(), 40), "before", "first", "best", "best to first"});
  const auto row = [&](const char* name, double before, double first, double best, bool bytes = false) {
    const auto human = [&](double n) {
      return bytes ? HumanBytes(static_cast<int64_t>(std::min(n, 0x1p62))) : HumanCount(n);
    };
    costs.Add({name, human(before), human(first), human(best), PartInWords(first > 0 ? best / first : 1)});
  };
  row("bytes moved", u.bytes, f.bytes, b.bytes, true);
  row("operations", u.operations, f.operations, b.operations);
  row("roofline, in bytes", u.roofline, f.roofline, b.roofline, true);
  row("instructions", static_cast<double>(u.instructions), static_cast<double>(f.instructions),
      static_cast<double>(b.instructions));
  return costs.ToString() + "\n";
}

std::string TuneReport(const TuneResult& result) {
  std::string text = TuneCostReport(*result.module, result.unoptimized, result.first, result.best);
  if (!result.changes.empty()) {
    Table changes({"changes of the first pipeline", "without it"});
    for (const TuneChange& change : result.changes)
      changes.Add({change.text, change.without ? PartInWords(*change.without) : "not measured"});
    text += changes.ToString() + "\n";
  }
  text += Format("{} pipelines tried, {} different modules, {} failed, {} better ones refused{}\n", result.tried,
                 result.modules, result.failed, result.refused,
                 result.refused > 0 ? ": " + Printable(result.refused_because) : "");
  if (!result.ended) text += "the budget ended before each single change was tried\n";
  text += result.verdict ? Format("verified: {}\n", result.verdict->ToString()) : "not verified\n";
  if (result.changes.empty()) text += Format("nothing better by {} was found\n", TuneByName(result.by));
  else if (result.times) text += Format("measured, best to first: {}\n", TimesInWords(*result.times));
  else text += "not measured, as it does not run here\n";
  text += Format("--passes='{}'\n", result.passes);
  return text;
}

std::string TuneReportJson(const TuneResult& result) {
  Json json = {{"by", TuneByName(result.by)},
               {"seed", result.seed},
               {"passes", result.passes},
               {"unoptimized", TuneCostAsJson(result.unoptimized)},
               {"first", TuneCostAsJson(result.first)},
               {"best", TuneCostAsJson(result.best)},
               {"tried", result.tried},
               {"modules", result.modules},
               {"failed", result.failed},
               {"refused", result.refused},
               {"ended", result.ended}};
  Json& changes = json["changes"] = Json::array();
  for (const TuneChange& change : result.changes) {
    Json& one = changes.emplace_back(Json{{"change", change.text}});
    if (change.without) one["without"] = *change.without;
  }
  if (result.refused > 0) json["refused_because"] = result.refused_because;
  if (result.verdict) json["verdict"] = Json::parse(VerdictJson(*result.verdict));
  if (result.times) {
    const PairedTimes& times = *result.times;
    Json& paired = json["times"];
    paired = {{"pairs", times.pairs},
              {"first_ms", times.before_ms},
              {"best_ms", times.after_ms},
              {"sign_p", times.sign_p},
              {"differ", times.differ()}};
    if (times.differ()) paired["ratio"] = times.ratio, paired["low"] = times.low, paired["high"] = times.high;
  }
  return JsonLine(json);
}

}  // namespace hloir
