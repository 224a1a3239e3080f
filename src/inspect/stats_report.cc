// A module's counts as tables and as JSON; see hloir/inspect.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hloir/report.h"
#include "inspect/marks.h"
#include "hloir/inspect.h"
#include "report/json.h"
#include "report/table.h"
#include "support/format.h"
#include "support/text.h"

namespace hloir {
namespace {

constexpr size_t kStatsNameWidth = 34, kShapeWidth = 28;  // so that a table with number columns is 80 columns wide

std::string ByteCell(double bytes) {
  return std::isnan(bytes) ? "unknown" : HumanBytes(static_cast<int64_t>(std::min(bytes, 0x1p62)));
}
std::string Percent(double share) { return share <= 0 ? "" : Format("{:.1f} %", share * 100); }
std::string Int(int64_t n) { return Format("{}", n); }

// "3 add, 1 dot"
std::string ContentsText(const ModuleStats::Fusion& fusion) {
  std::string text;
  for (const auto& [opcode, times] : fusion.contents) {
    if (!text.empty()) text += ", ";
    text += times == 1 ? opcode : Format("{} {}", times, opcode);
  }
  return text;
}

std::string ShapeCell(const Shape& shape) { return shape.ToString(/*with_layout=*/false); }

// The rows omitted from a table.
void AddRestOfRows(std::string& text, size_t count, size_t most) {
  if (count > most) text += Format("and {} more\n", count - most);
}

std::string Overview(const ModuleStats& stats) {
  const CostResult& cost = stats.cost;
  Table table({Format("module {}", ShortName(stats.module->name(), kStatsNameWidth)), "", "a loop once, as XLA"});
  table.Add({"instructions", Int(stats.count.instructions), ""});
  table.Add({"top-level (a fusion is one)", Int(stats.count.top_level), ""});
  table.Add({"computations", Int(stats.module->computation_count()), ""});
  const bool known = cost.unknown_loops == 0;
  table.Add({"FLOPs", Marked(HumanCount(cost.repeated.flops), known), HumanCount(cost.once.flops)});
  table.Add({"transcendentals", Marked(HumanCount(cost.repeated.transcendentals), known),
             HumanCount(cost.once.transcendentals)});
  table.Add({"bytes moved", Marked(ByteCell(cost.repeated.bytes), known), ByteCell(cost.once.bytes)});
  int64_t parameters = 0, constants = 0;
  const auto add = [](int64_t& sum, int64_t bytes) {
    if (__builtin_add_overflow(sum, bytes, &sum)) sum = std::numeric_limits<int64_t>::max();
  };
  for (const HloInstruction* parameter : stats.parameters) add(parameters, parameter->shape().ByteSize());
  for (const ModuleStats::Constant& constant : stats.constants) add(constants, constant.bytes);
  table.Add({Format("parameters: {}", stats.parameters.size()), HumanBytes(parameters), ""});
  table.Add({Format("constants: {}", stats.constants.size()), HumanBytes(constants), ""});
  table.Add({"longest path, in instructions", Int(static_cast<int64_t>(stats.longest.instructions.size())), ""});
  table.Add({"most expensive path, share", Percent(stats.costliest.share), ""});
  std::string text = table.ToString();
  text += UnknownLoopsNote(cost.unknown_loops);
  if (cost.custom_calls > 0) text += Format("custom-calls of unknown cost: {}\n", cost.custom_calls);
  return text;
}

std::string TallyTable(const ModuleStats& stats, const std::string& title, const std::vector<ModuleStats::Tally>& all,
                       size_t most) {
  if (all.empty()) return "";
  Table table({title, "instr.", "FLOPs", "transc.", "bytes", "share"});
  for (size_t k = 0; k < std::min(most, all.size()); ++k) {
    const ModuleStats::Tally& tally = all[k];
    const bool known = tally.times_known;
    table.Add({ShortName(tally.key, kStatsNameWidth), Int(tally.instructions),
               Marked(HumanCount(tally.cost.flops), known), Marked(HumanCount(tally.cost.transcendentals), known),
               Marked(ByteCell(tally.cost.bytes), known), Percent(stats.Share(tally.cost))});
  }
  std::string text = "\n" + table.ToString();
  AddRestOfRows(text, all.size(), most);
  return text;
}

std::string CountTable(const std::string& title, const std::vector<ModuleStats::Tally>& all, size_t most) {
  if (all.empty()) return "";
  Table table({title, "instr."});
  for (size_t k = 0; k < std::min(most, all.size()); ++k)
    table.Add({ShortName(all[k].key, kStatsNameWidth), Int(all[k].instructions)});
  std::string text = "\n" + table.ToString();
  AddRestOfRows(text, all.size(), most);
  return text;
}

std::string ComputationTable(const ModuleStats& stats, size_t most) {
  std::vector<const ModuleStats::Computation*> run;  // the entry first, computations that are not executed last
  for (size_t k = stats.computations.size(); k-- > 0;) run.push_back(&stats.computations[k]);
  std::stable_partition(run.begin(), run.end(), [](const auto* c) { return c->times > 0; });
  Table table({"computation", "times", "instr.", "FLOPs", "bytes", "share"});
  for (size_t k = 0; k < std::min(most, run.size()); ++k) {
    const ModuleStats::Computation& c = *run[k];
    const bool steps = c.times > 0;  // otherwise it is applied to elements, or fused, and counted with its caller
    table.Add({ShortName(c.computation->name(), kStatsNameWidth),
               steps ? Marked(HumanCount(c.times), c.times_known) : "", Int(c.computation->instruction_count()),
               steps ? HumanCount(c.cost.flops) : "", steps ? ByteCell(c.cost.bytes) : "",
               steps ? Percent(stats.Share(c.cost)) : ""});
  }
  std::string text = "\n" + table.ToString();
  AddRestOfRows(text, run.size(), most);
  return text;
}

std::string FusionTable(const ModuleStats& stats, size_t most) {
  if (stats.fusions.empty()) return "";
  Table table({"fusion", "share", "kind", "contents"});
  table.LeftAlign(2), table.LeftAlign(3);
  constexpr size_t kName = 24, kContents = 37;
  for (size_t k = 0; k < std::min(most, stats.fusions.size()); ++k) {
    const HloInstruction& i = *stats.fusions[k].step.instruction;
    table.Add({ShortName(i.name(), kName), Percent(stats.fusions[k].step.share),
               std::string(EnumWord(i.attributes<FusionAttributes>().kind)),
               ShortName(ContentsText(stats.fusions[k]), kContents, /*middle=*/false)});
  }
  std::string text = "\n" + table.ToString();
  AddRestOfRows(text, stats.fusions.size(), most);
  return text;
}

std::string CollectiveTable(const ModuleStats& stats, size_t most) {
  if (stats.collectives.empty()) return "";
  Table table({"collective", "groups", "times", "bytes", "in all"});
  table.LeftAlign(1);
  constexpr size_t kName = 26, kGroups = 26;
  double bytes = 0;
  for (size_t k = 0; k < stats.collectives.size(); ++k) {
    const Communication& c = stats.collectives[k];
    bytes += c.payload * c.times;
    if (k >= most) continue;
    table.Add({ShortName(c.instruction->name(), kName), ShortName(GroupsText(c.groups), kGroups),
               Marked(HumanCount(c.times), c.times_known), ByteCell(c.payload),
               Marked(ByteCell(c.payload * c.times), c.times_known)});
  }
  std::string text = "\n" + table.ToString();
  AddRestOfRows(text, stats.collectives.size(), most);
  return text + Format("collectives: {}, which bring {} from each device\n", stats.collectives.size(), ByteCell(bytes));
}

std::string StepTable(const ModuleStats& stats, size_t most) {
  if (stats.steps.empty()) return "";
  Table table({"the costliest instructions", "times", "FLOPs", "transc.", "bytes", "share"});
  for (size_t k = 0; k < std::min(most, stats.steps.size()); ++k) {
    const ModuleStats::Step& step = stats.steps[k];
    table.Add({ShortName(step.instruction->name(), kStatsNameWidth), HumanCount(step.times),
               HumanCount(step.cost.flops), HumanCount(step.cost.transcendentals), ByteCell(step.cost.bytes),
               Percent(step.share)});
  }
  return "\n" + table.ToString();
}

std::string ParameterTable(const ModuleStats& stats, size_t most) {
  if (stats.parameters.empty()) return "";
  Table table({"the largest parameters", "number", "shape", "bytes"});
  table.LeftAlign(2);
  std::vector<const HloInstruction*> largest = stats.parameters;
  std::stable_sort(largest.begin(), largest.end(), [](const HloInstruction* a, const HloInstruction* b) {
    return a->shape().ByteSize() > b->shape().ByteSize();
  });
  for (size_t k = 0; k < std::min(most, largest.size()); ++k) {
    const HloInstruction& i = *largest[k];
    table.Add({ShortName(i.name(), kStatsNameWidth), Int(i.parameter_number()),
               ShortName(ShapeCell(i.shape()), kShapeWidth), HumanBytes(i.shape().ByteSize())});
  }
  std::string text = "\n" + table.ToString();
  AddRestOfRows(text, largest.size(), most);
  return text;
}

// "longest path: 3 instructions, 20.0 % of the work" and their names; for long ones the first and last.
std::string PathText(const std::string& title, const ModuleStats::Path& path, size_t most) {
  const size_t count = path.instructions.size();
  if (count == 0) return "";
  std::string names;
  for (size_t k = 0; k < count; ++k) {
    if (count > most && k == most / 2) {
      names += Format("({} more) → ", count - most);
      k = count - (most - most / 2) - 1;
      continue;
    }
    names += ShortName(path.instructions[k]->name(), kStatsNameWidth) + (k + 1 < count ? " → " : "");
  }
  return Format("\n{}: {} instruction{}, {} of the work\n  ", title, count, count == 1 ? "" : "s",
                path.share > 0 ? Percent(path.share) : "none") +
         Wrap(names, 80, 2) + "\n";
}

std::string ConstantTable(const ModuleStats& stats, size_t most) {
  if (stats.constants.empty()) return "";
  Table table({"the largest constants", "shape", "bytes"});
  table.LeftAlign(1);
  for (size_t k = 0; k < std::min(most, stats.constants.size()); ++k) {
    const HloInstruction& i = *stats.constants[k].instruction;
    table.Add({ShortName(i.name(), kStatsNameWidth), ShortName(ShapeCell(i.shape()), kShapeWidth),
               HumanBytes(stats.constants[k].bytes)});
  }
  return "\n" + table.ToString();
}

// ---- JSON

Json CostJson(const Cost& cost) {
  return {{"flops", WholeNumber(cost.flops)},
          {"transcendentals", WholeNumber(cost.transcendentals)},
          {"bytes", WholeNumber(cost.bytes)}};
}
Json TalliesJson(const ModuleStats& stats, const std::vector<ModuleStats::Tally>& tallies, const char* key) {
  Json list = Json::array();
  for (const ModuleStats::Tally& tally : tallies) {
    Json json = {{key, tally.key}, {"instructions", tally.instructions}};
    json.update(CostJson(tally.cost));
    json["times_known"] = tally.times_known;
    json["share"] = stats.Share(tally.cost);
    list.push_back(std::move(json));
  }
  return list;
}
Json CountsJson(const std::vector<ModuleStats::Tally>& tallies, const char* key) {
  Json list = Json::array();
  for (const ModuleStats::Tally& tally : tallies)
    list.push_back({{key, tally.key}, {"instructions", tally.instructions}});
  return list;
}
Json PathJson(const ModuleStats::Path& path) {
  Json names = Json::array();
  for (const HloInstruction* i : path.instructions) names.push_back(i->name());
  return {{"instructions", std::move(names)}, {"share", path.share}};
}
const char* ContextWord(CallContext context) {
  switch (context) {
    case CallContext::kNone: return "unreached";
    case CallContext::kControlFlow: return "control flow";
    case CallContext::kEmbedded: return "embedded";
    case CallContext::kBoth: return "both";
  }
  return "";
}

}  // namespace

std::string StatsReport(const ModuleStats& stats, size_t most) {
  std::string text = Overview(stats);
  text += TallyTable(stats, "opcode", stats.opcodes, most);
  text += TallyTable(stats, "type", stats.types, most);
  text += ComputationTable(stats, most);
  text += StepTable(stats, most);
  text += FusionTable(stats, most);
  text += CollectiveTable(stats, most);
  text += TallyTable(stats, "custom-call", stats.custom_calls, most);
  text += ParameterTable(stats, std::min<size_t>(most, 5));
  text += ConstantTable(stats, std::min<size_t>(most, 5));
  text += CountTable("layout", stats.layouts, most);
  if (stats.layout_changes > 0) text += Format("copies and bitcasts to another layout: {}\n", stats.layout_changes);
  text += TallyTable(stats, "op_name scope", stats.scopes, most);
  text += TallyTable(stats, "source line", stats.source_lines, most);
  text += PathText("longest path", stats.longest, most) + PathText("costliest path", stats.costliest, most);
  return text + "\n" + MemoryReport(*stats.module, most);
}

std::string StatsJson(const ModuleStats& stats) {
  Json json = {{"module", stats.module->name()},
               {"instructions", stats.count.instructions},
               {"top_level_instructions", stats.count.top_level}};
  json.update(CostJson(stats.cost.once));
  json["repeated"] = CostJson(stats.cost.repeated);
  json["unknown_loops"] = stats.cost.unknown_loops;
  json["opcodes"] = TalliesJson(stats, stats.opcodes, "opcode");
  json["types"] = TalliesJson(stats, stats.types, "type");
  Json list = Json::array();
  for (const ModuleStats::Computation& c : stats.computations) {
    Json row = {{"computation", c.computation->name()},
                {"context", ContextWord(c.context)},
                {"times", WholeNumber(c.times)},
                {"times_known", c.times_known},
                {"instructions", c.computation->instruction_count()}};
    row.update(CostJson(c.cost));
    list.push_back(std::move(row));
  }
  json["computations"] = std::exchange(list, Json::array());
  for (const ModuleStats::Step& step : stats.steps) {
    const HloInstruction& i = *step.instruction;
    Json row = {{"name", i.name()},
                {"computation", i.parent()->name()},
                {"opcode", i.opcode_name()},
                {"shape", i.shape().ToString()},
                {"times", WholeNumber(step.times)},
                {"times_known", step.times_known}};
    row.update(CostJson(step.cost));
    row["once"] = CostJson(step.once);
    row["share"] = step.share;
    if (i.metadata() != nullptr && !i.metadata()->op_name.empty()) row["op_name"] = i.metadata()->op_name;
    if (const auto line = SourceOf(i)) row["source_line"] = line->ToString();
    list.push_back(std::move(row));
  }
  json["costs"] = std::exchange(list, Json::array());
  for (const ModuleStats::Fusion& fusion : stats.fusions) {
    const HloInstruction& i = *fusion.step.instruction;
    Json contents = Json::object(), body = Json::array();
    for (const auto& [opcode, times] : fusion.contents) contents[opcode] = times;
    for (const auto& [fused, cost] : fusion.body)
      body.push_back({{"name", fused->name()},
                      {"opcode", fused->opcode_name()},
                      {"flops", WholeNumber(cost.flops)},
                      {"transcendentals", WholeNumber(cost.transcendentals)}});
    Json row = {{"name", i.name()},
                {"kind", EnumWord(i.attributes<FusionAttributes>().kind)},
                {"computation", i.fused_computation()->name()},
                {"instructions", i.fused_computation()->instruction_count()},
                {"contents", std::move(contents)},
                {"times", WholeNumber(fusion.step.times)}};
    row.update(CostJson(fusion.step.cost));
    row["share"] = fusion.step.share;
    row["body"] = std::move(body);
    list.push_back(std::move(row));
  }
  json["fusions"] = std::exchange(list, Json::array());
  for (const HloInstruction* i : stats.parameters) {
    list.push_back({{"name", i->name()},
                    {"number", i->parameter_number()},
                    {"shape", i->shape().ToString()},
                    {"size", i->shape().ByteSize()}});
  }
  json["parameters"] = std::exchange(list, Json::array());
  for (const ModuleStats::Constant& constant : stats.constants) {
    const HloInstruction& i = *constant.instruction;
    list.push_back({{"name", i.name()},
                    {"computation", i.parent()->name()},
                    {"shape", i.shape().ToString()},
                    {"size", constant.bytes}});
  }
  json["constants"] = std::exchange(list, Json::array());
  for (const Communication& c : stats.collectives) {
    list.push_back({{"name", c.instruction->name()},
                    {"opcode", c.instruction->opcode_name()},
                    {"collective", OpcodeName(c.kind)},
                    {"groups", c.groups.size()},
                    {"group_size", c.group_size},
                    {"devices", GroupsText(c.groups)},
                    {"size", WholeNumber(c.payload)},
                    {"sent", WholeNumber(c.sent)},
                    {"times", WholeNumber(c.times)},
                    {"times_known", c.times_known}});
  }
  json["collectives"] = std::move(list);
  json["custom_calls"] = TalliesJson(stats, stats.custom_calls, "target");
  json["layouts"] = CountsJson(stats.layouts, "layout");
  json["layout_changes"] = stats.layout_changes;
  json["scopes"] = TalliesJson(stats, stats.scopes, "scope");
  json["source_lines"] = TalliesJson(stats, stats.source_lines, "source_line");
  json["longest_path"] = PathJson(stats.longest);
  json["costliest_path"] = PathJson(stats.costliest);
  json["memory"] = Json::parse(MemoryReportJson(*stats.module));
  return JsonLine(json);
}

}  // namespace hloir
