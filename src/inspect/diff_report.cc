// A diff as text and as JSON; see hloir/inspect.h.
#include <algorithm>
#include <array>
#include <set>

#include "hloir/analysis.h"
#include "hloir/cost.h"
#include "hloir/inspect.h"
#include "hloir/printer.h"
#include "report/json.h"
#include "report/table.h"
#include "support/format.h"
#include "support/text.h"

namespace hloir {
namespace {

constexpr std::pair<ModuleDiff::Change, std::string_view> kChanges[] = {
    {ModuleDiff::kConstant, "constant"}, {ModuleDiff::kAttributes, "attributes"}, {ModuleDiff::kShape, "shape"},
    {ModuleDiff::kLayout, "layout"},     {ModuleDiff::kCalled, "called"},         {ModuleDiff::kFused, "fused"},
    {ModuleDiff::kMoved, "moved"},       {ModuleDiff::kOperands, "operands"}};
constexpr ModuleDiff::RemovalReason kReasons[] = {
    ModuleDiff::RemovalReason::kFolded, ModuleDiff::RemovalReason::kMerged, ModuleDiff::RemovalReason::kRewritten,
    ModuleDiff::RemovalReason::kInlined, ModuleDiff::RemovalReason::kDead};

// The totals of a module.
struct Totals {
  explicit Totals(const HloModule& module) : count(CountInstructions(module)), cost(CostAnalysis(module).total().once) {
    const BufferAssignment buffers = AssignBuffers(module);
    memory = buffers.parameter_bytes + buffers.constant_bytes + buffers.of(*module.entry_computation()).heap_bytes;
  }
  InstructionCount count;
  Cost cost;
  int64_t memory = 0;
};

// Names unique in the module, others as COMPUTATION/NAME.
class Names {
 public:
  explicit Names(const HloModule& module) {
    std::set<std::string_view> seen;
    for (const HloInstruction* i : module.AllInstructions())
      if (!seen.insert(i->name()).second) ambiguous_.insert(i->name());
  }
  std::string operator()(const HloInstruction& i) const {
    if (!ambiguous_.contains(i.name())) return std::string(i.name());
    return std::string(i.parent()->name()) + "/" + std::string(i.name());
  }

 private:
  std::set<std::string_view> ambiguous_;
};

PrintOptions LineOptions() {
  PrintOptions options = PrintOptions::ShortParsable();
  options.print_metadata = false;
  return options;
}
std::string Line(const HloInstruction& i) {
  static const PrintOptions kOptions = LineOptions();
  constexpr size_t kWidth = 78;  // with "- " before it 80
  return ShortName(PrintInstruction(i, kOptions), kWidth, /*middle=*/false);
}

std::string Ratio(double before, double after) {
  if (before == after) return "=";
  return before > 0 && after > 0 ? Format("{:.2f}x", after / before) : "";
}

std::string CostTable(const ModuleDiff& diff) {
  const Totals before(diff.before()), after(diff.after());
  Table table({"", "before", "after", ""});
  const auto count = [&](const char* what, double a, double b) {
    table.Add({what, HumanCount(a), HumanCount(b), Ratio(a, b)});
  };
  const auto bytes = [&](const char* what, double a, double b) {
    table.Add({what, HumanBytes(static_cast<int64_t>(std::min(a, 0x1p62))),
               HumanBytes(static_cast<int64_t>(std::min(b, 0x1p62))), Ratio(a, b)});
  };
  count("instructions", static_cast<double>(before.count.instructions), static_cast<double>(after.count.instructions));
  count("top-level (a fusion is one)", static_cast<double>(before.count.top_level),
        static_cast<double>(after.count.top_level));
  count("FLOPs", before.cost.flops, after.cost.flops);
  count("transcendentals", before.cost.transcendentals, after.cost.transcendentals);
  bytes("bytes moved", before.cost.bytes, after.cost.bytes);
  bytes("memory", static_cast<double>(before.memory), static_cast<double>(after.memory));
  return table.ToString();
}

// Instructions that only forward values: parameters of a fusion's body and the tuple of its results,
// get-tuple-elements.
bool IsWrapping(const HloInstruction& i) {
  const bool fused = i.parent()->fusion() != nullptr;
  return i.opcode() == HloOpcode::kGetTupleElement ||
         (fused && (i.IsParameter() || (i.IsRoot() && i.opcode() == HloOpcode::kTuple)));
}

// By the fusion that they are in now.
std::string FusedLines(const std::vector<const ModuleDiff::Pair*>& pairs, size_t most) {
  std::vector<std::pair<const HloInstruction*, std::vector<const HloInstruction*>>> groups;
  for (const ModuleDiff::Pair* pair : pairs) {
    const HloInstruction* fusion = pair->after->parent()->fusion();
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == fusion; });
    if (group == groups.end()) group = groups.insert(groups.end(), {fusion, {}});
    group->second.push_back(pair->before);
  }
  std::string text;
  for (size_t k = 0; k < std::min(most, groups.size()); ++k) {
    std::string names;
    for (const HloInstruction* i : groups[k].second) names += (names.empty() ? "" : ", ") + std::string(i->name());
    const HloInstruction* fusion = groups[k].first;
    const std::string head = Format("  {} {}: ", groups[k].second.size(),
                                    fusion != nullptr ? "into " + ShortName(fusion->name(), 40) : "out of a fusion");
    text += head + ShortName(names, 80 - head.size(), /*middle=*/false) + "\n";
  }
  if (groups.size() > most) text += Format("  … and into {} more\n", groups.size() - most);
  return text;
}

Json TotalsJson(const HloModule& module) {
  const Totals totals(module);
  return {{"module", module.name()},
          {"instructions", totals.count.instructions},
          {"top_level_instructions", totals.count.top_level},
          {"flops", WholeNumber(totals.cost.flops)},
          {"transcendentals", WholeNumber(totals.cost.transcendentals)},
          {"bytes", WholeNumber(totals.cost.bytes)},
          {"memory_bytes", totals.memory}};
}

}  // namespace

std::string ChangeWords(uint32_t changes) {
  std::string words;
  for (const auto& [change, word] : kChanges) {
    if ((changes & change) == 0) continue;
    if (!words.empty()) words += ", ";
    words += word;
  }
  return words;
}

std::string_view RemovalReasonName(ModuleDiff::RemovalReason reason) {
  switch (reason) {
    case ModuleDiff::RemovalReason::kFolded: return "folded";
    case ModuleDiff::RemovalReason::kMerged: return "merged";
    case ModuleDiff::RemovalReason::kRewritten: return "rewritten";
    case ModuleDiff::RemovalReason::kInlined: return "inlined";
    case ModuleDiff::RemovalReason::kDead: return "dead";
  }
  return "";
}

std::string DiffReport(const ModuleDiff& diff, size_t most) { return CostTable(diff) + "\n" + DiffChanges(diff, most); }

std::string DiffChanges(const ModuleDiff& diff, size_t most) {
  size_t unchanged = 0;
  // A pair is listed under its first change only.
  std::array<std::vector<const ModuleDiff::Pair*>, std::size(kChanges)> changed;
  for (const ModuleDiff::Pair& pair : diff.matched()) {
    if (pair.changes == 0) ++unchanged;
    for (size_t c = 0; c < std::size(kChanges); ++c) {
      if ((pair.changes & kChanges[c].first) == 0) continue;
      changed[c].push_back(&pair);
      break;
    }
  }
  std::string text = Format("{} matched, of these {} unchanged; {} removed, {} added\n", diff.matched().size(),
                            unchanged, diff.removed().size(), diff.added().size());
  if (diff.same()) return text + "the same but for names, metadata and order\n";
  const auto rest = [&](size_t count) {
    if (count > most) text += Format("  … and {} more\n", count - most);
  };
  for (const ModuleDiff::RemovalReason reason : kReasons) {
    std::vector<const ModuleDiff::Removal*> removals;
    for (const ModuleDiff::Removal& removal : diff.removed())
      if (removal.reason == reason) removals.push_back(&removal);
    if (removals.empty()) continue;
    if (reason == ModuleDiff::RemovalReason::kInlined) {
      text += Format("\ninlined: {} (calls, fusions, their parameters, elements of tuples)\n", removals.size());
      continue;
    }
    text += Format("\n{}: {}\n", RemovalReasonName(reason), removals.size());
    for (size_t k = 0; k < std::min(most, removals.size()); ++k) {
      text += Format("- {}\n", Line(*removals[k]->instruction));
      if (removals[k]->became != nullptr) text += Format("  => {}\n", ShortName(removals[k]->became->name(), 75));
    }
    rest(removals.size());
  }
  for (size_t c = 0; c < std::size(kChanges); ++c) {
    if (changed[c].empty()) continue;
    text += Format("\n{}: {}\n", kChanges[c].second, changed[c].size());
    if (kChanges[c].first == ModuleDiff::kFused) {
      text += FusedLines(changed[c], most);
      continue;
    }
    for (size_t k = 0; k < std::min(most, changed[c].size()); ++k) {
      const ModuleDiff::Pair& pair = *changed[c][k];
      text += Format("- {}\n+ {}\n", Line(*pair.before), Line(*pair.after));
    }
    rest(changed[c].size());
  }
  std::vector<const HloInstruction*> added;
  for (const HloInstruction* i : diff.added())
    if (!IsWrapping(*i)) added.push_back(i);
  if (added.empty()) return text;
  text += Format("\nadded: {}\n", added.size());
  for (size_t k = 0; k < std::min(most, added.size()); ++k) text += Format("+ {}\n", Line(*added[k]));
  rest(added.size());
  return text;
}

std::string DiffJson(const ModuleDiff& diff) {
  const Names before(diff.before()), after(diff.after());
  Json json = {{"same", diff.same()}, {"before", TotalsJson(diff.before())}, {"after", TotalsJson(diff.after())}};
  Json matched = Json::array(), removed = Json::array(), added = Json::array(), changed = Json::array();
  for (const ModuleDiff::Pair& pair : diff.matched()) {
    const std::string a = before(*pair.before), b = after(*pair.after);
    matched.push_back({a, b});
    if (pair.changes == 0) continue;
    Json changes = Json::array();
    for (const auto& [change, word] : kChanges)
      if ((pair.changes & change) != 0) changes.push_back(word);
    changed.push_back({{"before", a}, {"after", b}, {"changes", std::move(changes)}});
  }
  for (const ModuleDiff::Removal& removal : diff.removed()) {
    Json row = {{"name", before(*removal.instruction)}, {"reason", RemovalReasonName(removal.reason)}};
    if (removal.became != nullptr) row["became"] = after(*removal.became);
    removed.push_back(std::move(row));
  }
  for (const HloInstruction* i : diff.added()) added.push_back(after(*i));
  json["matched"] = std::move(matched);
  json["removed"] = std::move(removed);
  json["added"] = std::move(added);
  json["changed"] = std::move(changed);
  return JsonLine(json);
}

}  // namespace hloir
