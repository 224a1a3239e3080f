// See inspect/cost_report.h.
#include "inspect/cost_report.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "hloir/analysis.h"
#include "hloir/report.h"
#include "inspect/marks.h"
#include "report/json.h"
#include "report/table.h"
#include "support/format.h"
#include "support/text.h"

namespace hloir {
namespace {

constexpr size_t kNameWidth = 30;

std::string Bytes(double bytes) {
  return std::isnan(bytes) ? "unknown" : HumanBytes(static_cast<int64_t>(std::min(bytes, 0x1p62)));
}
std::string Time(double seconds) {
  return seconds < 1e-6 ? Format("{:.3g} ns", seconds * 1e9) : HumanTime(seconds * 1e3);
}
std::string Percent(double part, double whole) {
  return whole > 0 && part > 0 ? Format("{:.1f} %", 100 * part / whole) : "";
}
void AddRest(std::string& text, size_t count, size_t most) {
  if (count > most) text += Format("and {} more\n", count - most);
}

// The costs of one module.
struct Figures {
  Figures(const HloModule& of, const CostReportOptions& options)
      : module(of), cost(of), communication(of, options.mesh ? std::optional<Mesh>(options.mesh->mesh) : FindMesh(of)) {
    if (options.device != nullptr) roofline.emplace(of, *options.device, options.mesh);
  }
  const HloModule& module;
  CostAnalysis cost;
  CommunicationAnalysis communication;
  std::optional<Roofline> roofline;
};

int64_t Devices(const HloModule& module) {
  const NamedDevices devices = NamedDevicesOf(module);
  int64_t count = 0;
  return __builtin_mul_overflow(devices.replicas, devices.partitions, &count) ? INT64_MAX : count;
}

// The bytes sent by all devices of the other mesh, from its group sizes: the result of an all-gather keeps its size,
// for other collectives each device's operand does.
double WhatIfSent(const CommunicationAnalysis& communication, const WhatIfMesh& mesh) {
  const double more = static_cast<double>(mesh.devices()) / static_cast<double>(DeviceCount(mesh.mesh));
  double bytes = 0;
  for (const Communication& c : communication.all()) {
    int64_t n = c.group_size;
    const std::optional<MeshSpan> span = SpanOf(c.groups, mesh.mesh);
    if (span && span->whole && !span->axes.empty()) {
      n = 1;
      for (size_t axis : span->axes) n *= mesh.sizes[axis];
    }
    const bool pairs =
        IsOneOf(c.kind, HloOpcode::kCollectivePermute, HloOpcode::kSend, HloOpcode::kRecv) || n == c.group_size;
    double members = 0, payload = c.payload;
    for (const auto& group : c.groups) members += static_cast<double>(group.size());
    if (c.kind == HloOpcode::kAllGather) payload *= static_cast<double>(c.group_size) / static_cast<double>(n);
    bytes += c.times * more * (pairs ? c.sent : members * WireBytes(c.kind, payload, n));
  }
  return bytes;
}

std::string Overview(const Figures& f, const CostReportOptions& options) {
  const CostResult& cost = f.cost.total();
  Table table({Format("module {}", ShortName(f.module.name(), kNameWidth)), "", "a loop once, as XLA"});
  table.Add({"devices", Format("{}", Devices(f.module)), ""});
  const bool known = cost.unknown_loops == 0;
  table.Add({"FLOPs", Marked(HumanCount(cost.repeated.flops), known), HumanCount(cost.once.flops)});
  table.Add({"transcendentals", Marked(HumanCount(cost.repeated.transcendentals), known),
             HumanCount(cost.once.transcendentals)});
  table.Add({"bytes moved", Marked(Bytes(cost.repeated.bytes), known), Bytes(cost.once.bytes)});
  if (!f.communication.all().empty()) {
    bool all_known = true;
    for (const Communication& c : f.communication.all()) all_known = all_known && c.times_known;
    table.Add({"bytes sent, by all devices", Marked(Bytes(f.communication.sent_bytes()), all_known), ""});
    if (options.mesh && options.mesh->devices() != DeviceCount(options.mesh->mesh))
      table.Add({Format("estimate for {} devices", options.mesh->devices()),
                 Marked(Bytes(WhatIfSent(f.communication, *options.mesh)), all_known), ""});
  }
  const BufferAssignment buffers = AssignBuffers(f.module);
  const int64_t memory =
      buffers.parameter_bytes + buffers.constant_bytes + buffers.of(*f.module.entry_computation()).heap_bytes;
  table.Add({"memory of a device", buffers.is_unknown ? "unknown" : HumanBytes(memory), ""});
  std::string text = table.ToString();
  text += UnknownLoopsNote(cost.unknown_loops);
  if (std::isnan(cost.once.bytes)) text += "unknown: arrays with unbounded dimensions (?) are in it\n";
  if (cost.custom_calls > 0) text += Format("custom-calls of unknown cost: {}\n", cost.custom_calls);
  if (options.device != nullptr && options.device->memory_bytes > 0 &&
      static_cast<double>(memory) > options.device->memory_bytes)
    text += Format("{} has {}: it does not fit\n", options.device->name, Bytes(options.device->memory_bytes));
  return text;
}

// The seconds of all executions of an instruction in one run, as measured; negative if it was not.
double MeasuredSeconds(const CostReportOptions& options, const HloInstruction& i) {
  if (options.measured == nullptr) return -1;
  const auto it = options.measured->instructions.find(i.name());
  return it == options.measured->instructions.end() ? -1
                                                    : it->second.seconds / static_cast<double>(options.measured->runs);
}

std::string MeasuredText(const CostReportOptions& options, const HloInstruction& i) {
  const double seconds = MeasuredSeconds(options, i);
  return seconds < 0 ? "" : Time(seconds);
}

// How the measured instructions compare with their predictions. Instructions that call others are left out.
struct MeasuredPrediction {
  int64_t instructions = 0;
  double measured = 0, predicted = 0;  // seconds
  double kendall_tau = NAN;            // tau-b of the two orders by time; NaN for fewer than two instructions
};
MeasuredPrediction ComparePrediction(const Roofline& roofline, const CostReportOptions& options) {
  constexpr size_t kMostCompared = 4096;  // pairs are counted one by one
  std::vector<std::pair<double, double>> times;
  for (const Roofline::Step& step : roofline.steps()) {
    const double seconds = MeasuredSeconds(options, *step.instruction);
    if (seconds >= 0 && !step.instruction->Is(kControlFlow)) times.emplace_back(seconds, step.seconds * step.times);
  }
  MeasuredPrediction result;
  result.instructions = static_cast<int64_t>(times.size());
  for (const auto& [measured, predicted] : times) result.measured += measured, result.predicted += predicted;
  std::sort(times.rbegin(), times.rend());
  if (times.size() > kMostCompared) times.resize(kMostCompared);
  double agreeing = 0, tied_measured = 0, tied_predicted = 0, pairs = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double m = times[i].first - times[j].first, p = times[i].second - times[j].second;
      ++pairs;
      if (m == 0) ++tied_measured;
      if (p == 0) ++tied_predicted;
      if (m != 0 && p != 0) agreeing += (m > 0) == (p > 0) ? 1 : -1;
    }
  }
  const double scale = std::sqrt((pairs - tied_measured) * (pairs - tied_predicted));
  if (scale > 0) result.kendall_tau = agreeing / scale;
  return result;
}

std::string RooflineTable(const Roofline& roofline, const CostReportOptions& options) {
  Table totals({ShortName(options.device->name, 40), "time"});
  const CostResult& cost = roofline.cost().total();
  const bool known = cost.unknown_loops == 0;
  totals.Add({"a run", std::isnan(cost.once.bytes) ? "unknown" : Marked(Time(roofline.seconds()), known)});
  if (roofline.communication_seconds() > 0) {
    totals.Add({"communication", Marked(Time(roofline.communication_seconds()), known)});
    totals.Add({"exposed communication", Marked(Time(roofline.exposed_seconds()), known)});
  }
  if (options.mesh && options.mesh->devices() != DeviceCount(options.mesh->mesh))
    totals.Add({Format("estimate for {} devices", options.mesh->devices()), ""});
  if (options.measured != nullptr) {
    const MeasuredPrediction comparison = ComparePrediction(roofline, options);
    if (options.measured->seconds > 0) totals.Add({"measured time of a run", Time(options.measured->seconds)});
    if (comparison.instructions > 0) {
      totals.Add({Format("{} measured instructions", comparison.instructions), Time(comparison.predicted)});
      totals.Add({"their measured time", Time(comparison.measured)});
    }
    if (!std::isnan(comparison.kendall_tau))
      totals.Add({"rank correlation (Kendall)", Format("{:.2f}", comparison.kendall_tau)});
  }
  std::string text = "\n" + totals.ToString();
  std::vector<const Roofline::Step*> steps;
  for (const Roofline::Step& step : roofline.steps())
    if (step.seconds > 0 && !step.instruction->Is(kControlFlow)) steps.push_back(&step);
  std::stable_sort(steps.begin(), steps.end(), [](const Roofline::Step* a, const Roofline::Step* b) {
    return a->seconds * a->times > b->seconds * b->times;
  });
  // With a profile, the last column but one is the measured time.
  const bool measured = options.measured != nullptr;
  Table table({"slowest instructions", "times", "per run", "total", measured ? "measured" : "share", "bound by"});
  table.LeftAlign(5);
  for (size_t k = 0; k < std::min(options.most, steps.size()); ++k) {
    const Roofline::Step& step = *steps[k];
    table.Add(
        {ShortName(step.instruction->name(), 24), Marked(HumanCount(step.times), step.times_known), Time(step.seconds),
         Marked(Time(step.seconds * step.times), step.times_known),
         measured ? MeasuredText(options, *step.instruction) : Percent(step.seconds * step.times, roofline.seconds()),
         std::string(BoundName(step.bound))});
  }
  text += "\n" + table.ToString();
  AddRest(text, steps.size(), options.most);
  return text;
}

std::string CostTable(const Figures& f, const CostReportOptions& options) {
  const size_t most = options.most;
  std::vector<std::pair<const HloInstruction*, double>> all;
  const std::vector<double> counts = ExecutionCounts(f.module);
  const std::vector<bool> all_known = KnownExecutionCounts(f.module);
  for (const HloComputation* computation : f.module.computations()) {
    const double times = counts[static_cast<size_t>(computation->id())];
    for (const HloInstruction* i = computation->first(); times > 0 && i != nullptr; i = i->next())
      if (!i->Is(kControlFlow) && f.cost.Of(*i).repeated != Cost()) all.emplace_back(i, times);
  }
  const auto weight = [&](const auto& row) {
    const Cost cost = f.cost.Of(*row.first).repeated * row.second;
    const double sum = cost.flops + cost.transcendentals + cost.bytes;
    return std::isnan(sum) ? HUGE_VAL : sum;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
  std::vector<std::string> head{"the costliest instructions", "times", "FLOPs", "transc.", "bytes"};
  if (options.measured != nullptr) head.emplace_back("measured");
  Table table(head);
  for (size_t k = 0; k < std::min(most, all.size()); ++k) {
    const auto& [i, times] = all[k];
    const Cost cost = f.cost.Of(*i).repeated * times;
    const bool known = all_known[static_cast<size_t>(i->parent()->id())];
    std::vector<std::string> row{ShortName(i->name(), kNameWidth), Marked(HumanCount(times), known),
                                 Marked(HumanCount(cost.flops), known), Marked(HumanCount(cost.transcendentals), known),
                                 Marked(Bytes(cost.bytes), known)};
    if (options.measured != nullptr) row.push_back(MeasuredText(options, *i));
    table.Add(row);
  }
  std::string text = all.empty() ? "" : "\n" + table.ToString();
  AddRest(text, all.size(), most);
  return text;
}

std::string SumTable(const std::vector<CommunicationAnalysis::Sum>& sums, const char* title, size_t most) {
  if (sums.empty()) return "";
  Table table({title, "instr.", "times", "a device brings", "sent by all"});
  for (size_t k = 0; k < std::min(most, sums.size()); ++k) {
    const CommunicationAnalysis::Sum& sum = sums[k];
    table.Add({ShortName(sum.key.empty() ? "—" : sum.key, kNameWidth), Format("{}", sum.instructions),
               Marked(HumanCount(sum.times), sum.times_known), Marked(Bytes(sum.payload), sum.times_known),
               Marked(Bytes(sum.sent), sum.times_known)});
  }
  std::string text = "\n" + table.ToString();
  AddRest(text, sums.size(), most);
  return text;
}

// ---- JSON

Json CountsJson(const Cost& cost) {
  return {{"flops", WholeNumber(cost.flops)},
          {"transcendentals", WholeNumber(cost.transcendentals)},
          {"bytes", WholeNumber(cost.bytes)}};
}
Json SumsJson(const std::vector<CommunicationAnalysis::Sum>& sums, const char* key) {
  Json list = Json::array();
  for (const CommunicationAnalysis::Sum& sum : sums)
    list.push_back({{key, sum.key},
                    {"instructions", sum.instructions},
                    {"times", WholeNumber(sum.times)},
                    {"times_known", sum.times_known},
                    {"payload", WholeNumber(sum.payload)},
                    {"sent", WholeNumber(sum.sent)}});
  return list;
}
Json CommunicationJson(const Communication& c) {
  Json json = {{"collective", OpcodeName(c.kind)},  {"groups", GroupsText(c.groups)},  {"group_size", c.group_size},
               {"payload", WholeNumber(c.payload)}, {"result", WholeNumber(c.result)}, {"sent", WholeNumber(c.sent)},
               {"asynchronous", c.is_asynchronous}};
  if (!c.axes.empty()) json["axes"] = c.axes;
  if (c.is_host) json["host"] = true;
  return json;
}
Json InstructionJson(const Figures& f, const CostReportOptions& options, const HloInstruction& i, double times,
                     bool times_known) {
  Json row = {{"name", i.name()},
              {"computation", i.parent()->name()},
              {"opcode", i.opcode_name()},
              {"shape", i.shape().ToString()},
              {"times", WholeNumber(times)},
              {"times_known", times_known}};
  row.update(CountsJson(f.cost.Of(i).once));
  if (const Communication* c = f.communication.Of(i)) row["communication"] = CommunicationJson(*c);
  if (const double seconds = MeasuredSeconds(options, i); seconds >= 0) row["measured_ms"] = seconds * 1e3;
  if (const Roofline::Step* step = f.roofline ? f.roofline->Of(i) : nullptr) {
    row["ms"] = step->seconds * 1e3;
    row["compute_ms"] = step->compute * 1e3;
    row["memory_ms"] = step->memory * 1e3;
    row["communication_ms"] = step->communication * 1e3;
    row["bound"] = BoundName(step->bound);
  }
  return row;
}

}  // namespace

std::string CostReport(const HloModule& module, const CostReportOptions& options) {
  const Figures f(module, options);
  std::string text = Overview(f, options);
  if (f.roofline) text += RooflineTable(*f.roofline, options);
  else text += CostTable(f, options);
  text += SumTable(f.communication.ByKind(), "collective", options.most);
  text += SumTable(f.communication.ByGroups(), "groups of devices", options.most);
  text += SumTable(f.communication.ByAxes(), "axes of the mesh", options.most);
  return text;
}

std::string CostJson(const HloModule& module, const CostReportOptions& options) {
  const Figures f(module, options);
  Json json = {{"module", module.name()}, {"devices", Devices(module)}};
  json.update(CountsJson(f.cost.total().once));
  json["repeated"] = CountsJson(f.cost.total().repeated);
  json["unknown_loops"] = f.cost.total().unknown_loops;
  json["unknown_custom_calls"] = f.cost.total().custom_calls;
  json["communication"] = {{"sent", WholeNumber(f.communication.sent_bytes())},
                           {"by_collective", SumsJson(f.communication.ByKind(), "collective")},
                           {"by_group", SumsJson(f.communication.ByGroups(), "groups")},
                           {"by_axis", SumsJson(f.communication.ByAxes(), "axes")}};
  if (options.mesh) json["communication"]["sent_by_mesh"] = WholeNumber(WhatIfSent(f.communication, *options.mesh));
  json["memory"] = Json::parse(MemoryReportJson(module, /*all_values=*/true));
  if (f.roofline) {
    json["roofline"] = {{"device", options.device->name},
                        {"ms", f.roofline->seconds() * 1e3},
                        {"communication_ms", f.roofline->communication_seconds() * 1e3},
                        {"exposed_communication_ms", f.roofline->exposed_seconds() * 1e3}};
    if (options.device->memory_bytes > 0) json["roofline"]["memory_bytes"] = WholeNumber(options.device->memory_bytes);
    if (options.mesh) json["roofline"]["devices"] = options.mesh->devices();
    if (options.measured != nullptr) {
      const MeasuredPrediction comparison = ComparePrediction(*f.roofline, options);
      Json& measured = json["roofline"]["measured"] = {{"runs", options.measured->runs},
                                                       {"instructions", comparison.instructions},
                                                       {"ms", comparison.measured * 1e3},
                                                       {"predicted_ms", comparison.predicted * 1e3}};
      if (options.measured->seconds > 0) measured["module_ms"] = options.measured->seconds * 1e3;
      if (!std::isnan(comparison.kendall_tau)) measured["kendall_tau"] = comparison.kendall_tau;
    }
  }
  Json list = Json::array();
  const std::vector<double> counts = ExecutionCounts(module);
  const std::vector<bool> known = KnownExecutionCounts(module);
  for (const HloComputation* computation : module.TextOrder()) {
    const double times = counts[static_cast<size_t>(computation->id())];
    if (times == 0) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
      list.push_back(InstructionJson(f, options, *i, times, known[static_cast<size_t>(computation->id())]));
  }
  json["instructions"] = std::move(list);
  return JsonLine(json);
}

std::string CostTrace(const Roofline& roofline) {
  Json events = Json::array();
  constexpr const char* kTracks[] = {"computation", "communication", "asynchronous"};
  for (int track = 0; track < 3; ++track)
    events.push_back(
        {{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", track}, {"args", {{"name", kTracks[track]}}}});
  for (const Roofline::Event& event : roofline.events()) {
    const HloInstruction& i = *event.instruction;
    const Cost cost = roofline.cost().Of(i).once;
    Json args = {{"opcode", i.opcode_name()}, {"shape", i.shape().ToString(/*with_layout=*/false)}};
    args.update(CountsJson(cost));
    if (const Roofline::Step* step = roofline.Of(i)) {
      args["times"] = WholeNumber(step->times);
      args["times_known"] = step->times_known;
      args["bound"] = BoundName(step->bound);
    }
    if (const Communication* c = roofline.communications().Of(i)) args.update(CommunicationJson(*c));
    if (i.metadata() != nullptr && !i.metadata()->op_name.empty()) args["op_name"] = i.metadata()->op_name;
    events.push_back({{"name", i.name()},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", static_cast<int>(event.stream)},
                      {"ts", event.start * 1e6},
                      {"dur", event.seconds * 1e6},
                      {"args", std::move(args)}});
  }
  return JsonLine({{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}});
}

}  // namespace hloir
