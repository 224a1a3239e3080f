// Profiles of runs; see hloir/report.h.
#include <algorithm>
#include <numeric>
#include <vector>

#include "hloir/report.h"
#include "json.h"
#include "support/format.h"
#include "support/text.h"
#include "table.h"

namespace hloir {
namespace {

double Seconds(const StepProfile& step) { return static_cast<double>(step.nanoseconds) * 1e-9; }
double BytesPerSecond(const StepProfile& step) {
  return step.nanoseconds > 0 ? static_cast<double>(step.bytes) * static_cast<double>(step.calls) / Seconds(step) : 0;
}
double FlopsPerSecond(const StepProfile& step) {
  return step.nanoseconds > 0 ? step.flops * static_cast<double>(step.calls) / Seconds(step) : 0;
}

// The nanoseconds that the given share of runs does not exceed.
int64_t Quantile(std::vector<int64_t> runs, double share) {
  const auto at = runs.begin() + static_cast<ptrdiff_t>(share * static_cast<double>(runs.size() - 1) + 0.5);
  std::nth_element(runs.begin(), at, runs.end());
  return *at;
}
// The nanoseconds of each step, without those of nested steps, in each run whose events were all kept.
struct RunTimes {
  explicit RunTimes(const ExecutionProfile& profile) : steps(profile.steps.size()) {
    // Events come by end: those inside an event right before it. A run ends where the outermost steps begin again.
    std::vector<ExecutionProfile::Event> open;       // whose surrounding event has not come yet
    std::vector<std::pair<size_t, int64_t>> inside;  // since the last outermost event: step and time
    std::vector<int64_t> run(steps.size());
    int32_t last = -1;
    const auto end_run = [&] {
      for (size_t k = 0; k < run.size(); ++k) steps[k].push_back(run[k]);
      all.push_back(std::accumulate(run.begin(), run.end(), int64_t{0}));
      run.assign(run.size(), 0);
    };
    for (const ExecutionProfile::Event& event : profile.events) {
      const size_t step = static_cast<size_t>(event.step);
      int64_t own = event.duration;
      for (; !open.empty() && open.back().start >= event.start; open.pop_back()) own -= open.back().duration;
      inside.emplace_back(step, own);
      if (profile.steps[step].depth > 0) {
        open.push_back(event);
        continue;
      }
      if (event.step <= last) end_run();
      last = event.step;
      for (const auto& [each, time] : inside) run[each] += time;
      inside.clear();
    }
    int64_t calls = 0;
    for (const StepProfile& step : profile.steps) calls += step.calls;
    if (last >= 0 && calls == static_cast<int64_t>(profile.events.size())) end_run();
  }
  std::vector<std::vector<int64_t>> steps;
  std::vector<int64_t> all;
};
void AddQuantiles(Json& json, const std::vector<int64_t>& runs) {
  if (runs.empty()) return;
  json["p10"] = Quantile(runs, 0.1), json["median"] = Quantile(runs, 0.5), json["p90"] = Quantile(runs, 0.9);
}

}  // namespace

std::string ProfileReport(const ExecutionProfile& profile) {
  constexpr size_t kRows = 40;
  std::vector<size_t> order(profile.steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return profile.steps[a].nanoseconds > profile.steps[b].nanoseconds; });
  int64_t total = 0;
  for (const StepProfile& step : profile.steps) total += step.nanoseconds;
  const auto share = [&](int64_t nanoseconds) {
    return total > 0 ? Format("{:.1f} %", 100.0 * static_cast<double>(nanoseconds) / static_cast<double>(total))
                     : std::string("—");
  };
  // Limited to 80 columns; the page and the JSON have all fields.
  constexpr size_t kStep = 24, kInstruction = 15;
  const auto cut = [](std::string text, size_t width) {
    if (text.size() > width) text = text.substr(0, width - 1) + "…";
    return text;
  };
  Table table({"step", "instruction", "calls", "time", "share", "GB/s", "GFLOP/s"});
  table.LeftAlign(1);
  int64_t rest = 0, rest_calls = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const StepProfile& step = profile.steps[order[rank]];
    if (rank >= kRows) {
      rest += step.nanoseconds, rest_calls += step.calls;
      continue;
    }
    const double flops = FlopsPerSecond(step);
    table.Add({cut(Format("{:{}}{}", "", 2 * step.depth, step.name), kStep), cut(step.instruction, kInstruction),
               Format("{}", step.calls), HumanTime(static_cast<double>(step.nanoseconds) * 1e-6),
               share(step.nanoseconds), Format("{:.1f}", BytesPerSecond(step) * 1e-9),
               flops > 0 ? Format("{:.1f}", flops * 1e-9) : "—"});
  }
  if (order.size() > kRows) {
    table.Add({Format("{} more", order.size() - kRows), "", Format("{}", rest_calls),
               HumanTime(static_cast<double>(rest) * 1e-6), share(rest), "", ""});
  }
  std::string spread;
  if (const std::vector<int64_t> times = RunTimes(profile).all; times.size() > 1) {
    const auto time = [&](double share) { return HumanTime(static_cast<double>(Quantile(times, share)) * 1e-6); };
    spread = Format("{} runs: median {}; a tenth below {}, a tenth above {}\n", times.size(), time(0.5), time(0.1),
                    time(0.9));
  }
  return table.ToString() + spread +
         Format("{} in {} steps; peak {:.1f} GFLOP/s (f32 products from the first cache)\n",
                HumanTime(static_cast<double>(total) * 1e-6), profile.steps.size(), profile.peak_flops * 1e-9);
}

std::string ProfileReportJson(const ExecutionProfile& profile) {
  Json json = {{"peak_flops", profile.peak_flops}, {"steps", Json::array()}};
  const RunTimes times(profile);
  json["runs"] = times.all.size();
  AddQuantiles(json, times.all);
  for (size_t k = 0; k < profile.steps.size(); ++k) {
    const StepProfile& step = profile.steps[k];
    json["steps"].push_back({{"name", step.name},
                             {"instruction", step.instruction},
                             {"op_name", step.op_name},
                             {"depth", step.depth},
                             {"calls", step.calls},
                             {"nanoseconds", step.nanoseconds},
                             {"threads", step.threads},
                             {"bytes", step.bytes},
                             {"flops", step.flops}});
    AddQuantiles(json["steps"].back(), times.steps[k]);
  }
  return JsonLine(json);
}

std::string ChromeTrace(const ExecutionProfile& profile) {
  Json events = Json::array();
  for (const ExecutionProfile::Event& event : profile.events) {
    const StepProfile& step = profile.steps[static_cast<size_t>(event.step)];
    events.push_back({{"name", step.name},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", static_cast<double>(event.start) * 1e-3},
                      {"dur", static_cast<double>(event.duration) * 1e-3},
                      {"args",
                       {{"instruction", step.instruction},
                        {"op_name", step.op_name},
                        {"bytes", step.bytes},
                        {"flops", step.flops}}}});
  }
  const Json trace = {{"displayTimeUnit", "ns"}, {"traceEvents", events}};
  return JsonLine(trace);
}

}  // namespace hloir
