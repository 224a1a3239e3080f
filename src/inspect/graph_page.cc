// A module as a page: the views of a ModuleGraph with their costs, and instructions in blocks of a thousand, which the
// page reads on demand; and two modules as two such pages side by side. See hloir/inspect.h, graph.html and diff.html.
// Tested by tests/unit/graph_test.cc and tests/pages.
#include <optional>
#include <unordered_map>

#include "hloir/inspect.h"
#include "inspect/graph_text.h"
#include "inspect/layout.h"
#include "inspect/pages.h"
#include "report/json.h"
#include "support/format.h"

namespace hloir {
namespace {

using View = ModuleGraph::View;
using Box = ModuleGraph::Box;

constexpr int32_t kChunk = 1000;  // instructions that are read at once

// The cost of one run, by measure: operations, bytes, picoseconds. Costs are additive: each branch of a conditional
// counts once, and a loop body is multiplied by its trip count.
struct Costs {
  double operations = 0, bytes = 0, time = 0;
  Costs& operator+=(const Costs& other) {
    operations += other.operations, bytes += other.bytes, time += other.time;
    return *this;
  }
  Json ToJson(bool timed) const {
    Json json = {WholeNumber(operations), WholeNumber(bytes)};
    if (timed) json.push_back(WholeNumber(time));
    return json;
  }
};

// Instructions that are counted together, and those of them that a diff calls changed, or has no match for.
struct Tally {
  double instructions = 0, changed = 0, alone = 0;
  Tally& operator+=(const Tally& other) {
    instructions += other.instructions, changed += other.changed, alone += other.alone;
    return *this;
  }
};

// How an instruction differs from the other module.
struct Mark {
  enum class Kind : uint8_t { kSame, kChanged, kAlone } kind = Kind::kSame;
  std::string words;                      // "layout, fused", "merged", "added"
  const HloInstruction* other = nullptr;  // its match, or its replacement
};

// The marks of one of a diff's two modules.
class Marks {
 public:
  Marks(const ModuleDiff& diff, const HloModule& module) : marks_(static_cast<size_t>(module.instruction_id_limit())) {
    const bool before = &module == &diff.before();
    for (const ModuleDiff::Pair& pair : diff.matched()) {
      at(before ? *pair.before : *pair.after) = {pair.changes == 0 ? Mark::Kind::kSame : Mark::Kind::kChanged,
                                                 ChangeWords(pair.changes), before ? pair.after : pair.before};
    }
    if (before) {
      for (const ModuleDiff::Removal& removal : diff.removed()) {
        at(*removal.instruction) = {Mark::Kind::kAlone, std::string(RemovalReasonName(removal.reason)), removal.became};
      }
    } else {
      for (const HloInstruction* i : diff.added()) at(*i) = {Mark::Kind::kAlone, "added", nullptr};
    }
  }
  const Mark& Of(const HloInstruction& i) const { return marks_[static_cast<size_t>(i.id())]; }

 private:
  Mark& at(const HloInstruction& i) { return marks_[static_cast<size_t>(i.id())]; }
  std::vector<Mark> marks_;
};

class PageMaker {
 public:
  PageMaker(const ModuleGraph& graph, const DeviceDescription* device, const ModuleDiff* diff = nullptr)
      : graph_(graph), calls_(*graph.module), cost_(*graph.module), device_(device), diff_(diff) {
    if (diff != nullptr) marks_.emplace(*diff, *graph.module);
    if (device != nullptr) roofline_.emplace(*graph.module, *device);
    of_computation_.resize(static_cast<size_t>(graph.module->computation_id_limit()));
    inlined_.resize(of_computation_.size());
    for (const HloComputation* computation : graph.module->PostOrder()) {
      for (const HloInstruction* i : computation->AllInstructions()) {
        of_computation_[static_cast<size_t>(computation->id())] += Of(*i);
        inlined_[static_cast<size_t>(computation->id())] += Inlined(*i);
      }
    }
  }

  std::string Page() {
    AddInstructions();
    Json views = Json::array();
    AddSums();
    for (size_t v = 0; v < graph_.views.size(); ++v) views.push_back(ViewJson(v));
    Json measures = Json::array();
    const auto measure = [&](const char* name, std::string what) {
      measures.push_back(Json::array({name, std::move(what)}));
    };
    measure("flops", "FLOPs"), measure("bytes", "bytes");
    if (device_ != nullptr) measure("time", "time on " + device_->name + ", by its roofline");
    Json data = {
        {"name", graph_.module->name()},   {"count", graph_.instructions}, {"named", named_}, {"chunk", kChunk},
        {"measures", std::move(measures)}, {"views", std::move(views)}};
    if (marks_) data["side"] = &diff_->before() == graph_.module ? "before" : "after";
    return FillPage(kGraphPage, JsonLine(data), chunks_);
  }

 private:
  // The number of executions of the called computations per run of the instruction; 0 for applied computations.
  double Times(const HloInstruction& i, const HloComputation& callee) const {
    if (!i.Is(kControlFlow)) return 0;
    if (i.opcode() != HloOpcode::kWhile) return 1;
    const auto rounds = static_cast<double>(TripCount(i).value_or(1));
    return &callee == i.while_condition() ? rounds + 1 : rounds;
  }

  Costs Of(const HloInstruction& i) const {
    Costs costs;
    if (i.Is(kControlFlow)) {
      for (const HloComputation* callee : i.called_computations()) {
        const Costs& one = of_computation_[static_cast<size_t>(callee->id())];
        const double times = Times(i, *callee);
        costs += {one.operations * times, one.bytes * times, one.time * times};
      }
      return costs;
    }
    const Cost cost = cost_.Of(i).repeated;
    costs.operations = cost.flops + cost.transcendentals;
    // Bytes and time of a fusion belong to the fusion, not to its body.
    if (calls_.node(*i.parent()).context == CallContext::kEmbedded) return costs;
    costs.bytes = cost.bytes;
    if (roofline_)
      if (const Roofline::Step* step = roofline_->Of(i)) costs.time = step->seconds * 1e12;
    return costs;
  }

  // The number of instructions including called ones, counted once per call.
  Tally Inlined(const HloInstruction& i) const {
    Tally count = {.instructions = 1};
    if (marks_) {
      const Mark::Kind kind = marks_->Of(i).kind;
      count.changed = kind == Mark::Kind::kChanged, count.alone = kind == Mark::Kind::kAlone;
    }
    for (const HloComputation* callee : i.called_computations()) count += inlined_[static_cast<size_t>(callee->id())];
    return count;
  }

  void AddInstructions() {
    std::vector<std::string> chunks;
    for (size_t v = 0; v < graph_.views.size(); ++v) {
      for (const Box& box : graph_.views[v].boxes) {
        if (box.instruction == nullptr) continue;
        AddInstruction(*box.instruction, v, &box, chunks);
        for (const HloInstruction* i : box.folded) AddInstruction(*i, v, nullptr, chunks, box.instruction->id());
      }
    }
    for (size_t k = 0; k < chunks.size(); ++k) {
      if (chunks[k].empty()) continue;
      chunks_ += Format("<script type=\"application/json\" id=\"i{}\">{{{}}}</script>\n", k, ForScript(chunks[k]));
    }
  }

  // `box` is null for instructions folded into the box of `host`.
  void AddInstruction(const HloInstruction& i, size_t view, const Box* box, std::vector<std::string>& chunks,
                      int32_t host = -1) {
    // A box includes the costs of instructions folded into it, so that the boxes of a view add up to the view.
    Costs costs = Of(i);
    Tally count = Inlined(i);
    if (box != nullptr)
      for (const HloInstruction* inner : box->folded) costs += Of(*inner), count += Inlined(*inner);
    Json json = {{"n", std::string(i.name())},
                 {"op", OperationText(i)},
                 {"k", KindOf(i)},
                 {"s", ShapeText(i.shape())},
                 {"t", InstructionText(i)},
                 {"v", view},
                 {"c", costs.ToJson(device_ != nullptr)}};
    if (count.instructions != 1) json["N"] = WholeNumber(count.instructions);
    if (marks_) {
      const Mark& mark = marks_->Of(i);
      if (mark.kind != Mark::Kind::kSame) json["w"] = mark.words;
      if (mark.other != nullptr) json["o"] = mark.other->id();
      AddDifferences(count, json);
    }
    if (i.metadata() != nullptr && !i.metadata()->op_name.empty()) json["m"] = i.metadata()->op_name, ++named_;
    if (const auto line = SourceOf(i)) json["l"] = line->ToString();
    if (i.IsRoot()) json["r"] = 1;
    if (i.opcode() == HloOpcode::kWhile && !TripCount(i)) json["q"] = 1;
    Json operands = Json::array(), users = Json::array(), calls = Json::array(), folded = Json::array();
    constexpr size_t kMost = 200;
    for (size_t k = 0; k < std::min(kMost, i.operands().size()); ++k) operands.push_back(i.operands()[k]->id());
    for (size_t k = 0; k < std::min(kMost, i.users().size()); ++k) users.push_back(i.users()[k]->id());
    for (const HloComputation* callee : i.called_computations()) {
      calls.push_back({std::string(callee->name()), graph_.view_of_computation[static_cast<size_t>(callee->id())],
                       Times(i, *callee)});
    }
    if (!operands.empty()) json["p"] = std::move(operands);
    if (!users.empty()) json["u"] = std::move(users);
    if (!calls.empty()) json["d"] = std::move(calls);
    if (box == nullptr) json["h"] = host;
    else if (!box->folded.empty()) {
      for (size_t k = 0; k < std::min(kMost, box->folded.size()); ++k) folded.push_back(box->folded[k]->id());
      json["g"] = std::move(folded);
    }
    const auto chunk = static_cast<size_t>(i.id() / kChunk);
    if (chunk >= chunks.size()) chunks.resize(chunk + 1);
    chunks[chunk] += Format("{}\"{}\":{}", chunks[chunk].empty() ? "" : ",", i.id(), JsonLine(json));
  }

  // For all views, inner ones first: they follow those that contain them.
  void AddSums() {
    sums_.resize(graph_.views.size()), sizes_.resize(graph_.views.size());
    for (size_t v = graph_.views.size(); v-- > 0;) {
      for (const Box& box : graph_.views[v].boxes) {
        if (box.instruction == nullptr) {
          sums_[v] += sums_[static_cast<size_t>(box.view)], sizes_[v] += sizes_[static_cast<size_t>(box.view)];
          continue;
        }
        sums_[v] += Of(*box.instruction), sizes_[v] += Inlined(*box.instruction);
        for (const HloInstruction* i : box.folded) sums_[v] += Of(*i), sizes_[v] += Inlined(*i);
      }
    }
  }

  static void AddDifferences(const Tally& tally, Json& json) {
    if (tally.changed + tally.alone > 0) json["z"] = {WholeNumber(tally.changed), WholeNumber(tally.alone)};
  }

  Json ViewJson(size_t v) const {
    const View& view = graph_.views[v];
    Json boxes = Json::array(), edges = Json::array();
    std::vector<LayoutEdge> ends;
    for (const Box& box : view.boxes) boxes.push_back(box.instruction != nullptr ? box.instruction->id() : ~box.view);
    for (const ModuleGraph::Edge& edge : view.edges) {
      edges.push_back({edge.from, edge.to, edge.values});
      ends.push_back({edge.from, edge.to});
    }
    Json json = {{"t", view.title},
                 {"k", view.kind},
                 {"p", view.parent},
                 {"n", WholeNumber(sizes_[v].instructions)},
                 {"c", sums_[v].ToJson(device_ != nullptr)},
                 {"f", std::string(view.computation->name())},
                 {"b", std::move(boxes)},
                 {"e", std::move(edges)},
                 {"r", FindLayers(static_cast<int32_t>(view.boxes.size()), ends)}};
    if (view.caller != nullptr) json["i"] = view.caller->id();
    AddDifferences(sizes_[v], json);
    if (calls_.node(*view.computation).context == CallContext::kEmbedded) json["x"] = 1;
    return json;
  }

  const ModuleGraph& graph_;
  const CallGraph calls_;
  const CostAnalysis cost_;
  const DeviceDescription* device_;
  const ModuleDiff* diff_;  // may be null
  std::optional<Marks> marks_;
  std::optional<Roofline> roofline_;
  std::vector<Costs> of_computation_;  // of one run, by id
  std::vector<Costs> sums_;            // by view
  std::vector<Tally> inlined_;         // instructions, by computation's id
  std::vector<Tally> sizes_;           // the same by view
  std::string chunks_;
  int64_t named_ = 0;
};

}  // namespace

std::string GraphPage(const ModuleGraph& graph, const DeviceDescription* device) {
  return PageMaker(graph, device).Page();
}

StatusOr<std::string> DiffPage(const ModuleDiff& diff, const DeviceDescription* device) {
  Json data;
  for (const HloModule* module : {&diff.before(), &diff.after()}) {
    HLOIR_ASSIGN_OR_RETURN(const ModuleGraph graph, MakeGraph(*module));
    data[module == &diff.before() ? "before" : "after"] = {{"name", module->name()},
                                                           {"page", PageMaker(graph, device, &diff).Page()}};
  }
  constexpr size_t kMost = 5000;  // differences in the list; the pictures show all
  Json changes = Json::array();
  size_t count = 0, unchanged = 0;
  const auto add = [&](const HloInstruction* before, const HloInstruction* after, const char* kind, std::string words) {
    if (++count > kMost) return;
    changes.push_back({before != nullptr ? before->id() : -1, after != nullptr ? after->id() : -1, kind,
                       (before != nullptr ? before : after)->name(), std::move(words)});
  };
  for (const ModuleDiff::Removal& removal : diff.removed())
    add(removal.instruction, removal.became, "went", std::string(RemovalReasonName(removal.reason)));
  for (const HloInstruction* i : diff.added()) add(nullptr, i, "came", "added");
  for (const ModuleDiff::Pair& pair : diff.matched()) {
    if (pair.changes != 0) add(pair.before, pair.after, "changed", ChangeWords(pair.changes));
    else ++unchanged;
  }
  data["changes"] = std::move(changes);
  data["counts"] = {unchanged, diff.matched().size() - unchanged, diff.removed().size(), diff.added().size()};
  return FillPage(kDiffPage, JsonLine(data));
}

}  // namespace hloir
