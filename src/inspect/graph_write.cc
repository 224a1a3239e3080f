// A graph in Graphviz's language, as Model Explorer's JSON, as SVG and as a page; see hloir/inspect.h.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "hloir/inspect.h"
#include "hloir/printer.h"
#include "inspect/layout.h"
#include "inspect/pages.h"
#include "support/text.h"
#include "report/json.h"
#include "support/format.h"

namespace hloir {
namespace {

using View = ModuleGraph::View;
using Box = ModuleGraph::Box;

// The kind of an instruction, for its color.
const char* KindOf(const HloInstruction& i) {
  const HloOpcode opcode = i.opcode();
  if (opcode == HloOpcode::kParameter) return "parameter";
  if (IsOneOf(opcode, HloOpcode::kConstant, HloOpcode::kIota)) return "constant";
  if (opcode == HloOpcode::kFusion) return "fusion";
  if (IsOneOf(opcode, HloOpcode::kDot, HloOpcode::kScaledDot, HloOpcode::kRaggedDot, HloOpcode::kConvolution))
    return "contraction";
  if (IsOneOf(opcode, HloOpcode::kReduce, HloOpcode::kReduceWindow, HloOpcode::kSort, HloOpcode::kScatter,
              HloOpcode::kScan))
    return "reduction";
  if (opcode == HloOpcode::kCustomCall) return "custom-call";
  if (IsOneOf(opcode, HloOpcode::kTuple, HloOpcode::kGetTupleElement)) return "tuple";
  if (i.Is(kCollective)) return "collective";
  if (i.Is(kControlFlow)) return "control";
  if (i.Is(kMovesData) || i.Is(kAliases)) return "movement";
  return "elementwise";
}

std::string ShapeText(const Shape& shape) {
  constexpr size_t kWidth = 40;
  return ShortName(shape.ToString(/*with_layout=*/false), kWidth, /*middle=*/false);
}
std::string Text(const HloInstruction& i) {
  PrintOptions options = PrintOptions::ShortParsable();
  options.print_metadata = false;
  constexpr size_t kMost = 2000;
  std::string text = PrintInstruction(i, options);
  if (text.size() > kMost) text = text.substr(0, kMost) + " …";
  return text;
}
// JSON's replacement takes care of bytes that are not UTF-8.
std::string Name(const HloInstruction& i) { return std::string(i.name()); }
const std::string& TitleOf(const ModuleGraph& graph, int32_t view) {
  return graph.views[static_cast<size_t>(view)].title;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : ShortName(text, 200)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "\"";
}

const char* FillOf(std::string_view kind) {
  if (kind == "parameter") return "#d7e9d0";
  if (kind == "constant") return "#e8e8e8";
  if (kind == "fusion") return "#e6d3f2";
  if (kind == "contraction") return "#f6c9a8";
  if (kind == "reduction") return "#f5b8bd";
  if (kind == "collective") return "#b9d4f5";
  if (kind == "control") return "#ffe08a";
  if (kind == "movement") return "#cfe8e8";
  if (kind == "custom-call") return "#d9c7b0";
  return "#ffffff";
}

// The opcode; of a custom-call also whom it calls.
std::string OperationText(const HloInstruction& i) {
  std::string text(i.opcode_name());
  if (i.opcode() == HloOpcode::kCustomCall) text += " " + i.attributes<CustomCallAttributes>().custom_call_target;
  return text;
}

std::string DotBox(const HloInstruction& i) {
  std::string label = Quoted(Name(i)), shape = Quoted(ShapeText(i.shape()));
  label.pop_back();
  std::string operation = Quoted(OperationText(i));
  operation.pop_back();
  return Format("label={}\\n{}  {},fillcolor=\"{}\"", label, operation.substr(1), shape.substr(1), FillOf(KindOf(i)));
}

// The instructions of a view and those folded in it, as nested clusters.
void AddCluster(const ModuleGraph& graph, int32_t v, std::string& text, std::vector<int32_t>& callees, int depth) {
  const View& view = graph.views[static_cast<size_t>(v)];
  text += Format("subgraph cluster_{} {{label={};style=rounded;color=\"#888888\";\n", v, Quoted(view.title));
  for (const Box& box : view.boxes) {
    if (box.outside) continue;
    if (box.instruction == nullptr) {
      if (depth < 64) AddCluster(graph, box.view, text, callees, depth + 1);
      continue;
    }
    text += Format("n{}[{}];\n", box.instruction->id(), DotBox(*box.instruction));
    for (const auto& [name, callee] : graph.CalledViews(*box.instruction))
      if (callee >= 0 && graph.views[static_cast<size_t>(callee)].caller == box.instruction) callees.push_back(callee);
  }
  text += "}\n";
}

constexpr const char* kDotHead =
    "digraph {{\nlabel={};fontname=\"sans-serif\";node[shape=box,style=\"filled,rounded\",fontname=\"sans-serif\","
    "fontsize=11,fillcolor=white];edge[fontname=\"sans-serif\",fontsize=9,color=\"#666666\"];\n";

// Paths of titles, for namespaces.
std::string PathOf(const ModuleGraph& graph, int32_t v) {
  std::vector<std::string> parts;
  for (int steps = 0; v > 0 && steps < 256; ++steps) {
    const View& view = graph.views[static_cast<size_t>(v)];
    std::string title = view.title;
    std::replace(title.begin(), title.end(), '/', '_');  // the separator
    if (view.caller != nullptr) {
      std::string caller = Name(*view.caller);
      std::replace(caller.begin(), caller.end(), '/', '_');
      title = caller + ": " + title;
    }
    parts.push_back(std::move(title));
    v = view.parent;
  }
  std::string path;
  for (auto it = parts.rbegin(); it != parts.rend(); ++it) path += (path.empty() ? "" : "/") + *it;
  return path;
}

// An estimate of a text's width on the page, in steps of four, so that views that differ only in the numbers in their
// names share a layout.
double WidthOf(size_t characters) { return 28.0 * static_cast<double>((characters + 3) / 4) + 20; }

}  // namespace

std::string GraphDot(const ModuleGraph& graph) {
  std::string text = Format(kDotHead, Quoted(graph.module->name()));
  std::vector<int32_t> views = {0};
  for (size_t k = 0; k < views.size(); ++k) AddCluster(graph, views[k], text, views, 0);
  std::set<std::pair<int32_t, int32_t>> edges;
  std::set<int32_t> drawn;
  std::vector<const HloInstruction*> instructions;
  for (const View& view : graph.views)
    for (const Box& box : view.boxes)
      if (box.instruction != nullptr && !box.outside && drawn.insert(box.instruction->id()).second)
        instructions.push_back(box.instruction);
  for (const HloInstruction* i : instructions) {
    for (const HloInstruction* operand : i->operands()) {
      if (drawn.contains(operand->id()) && edges.insert({operand->id(), i->id()}).second)
        text += Format("n{}->n{}[tooltip={}];\n", operand->id(), i->id(), Quoted(ShapeText(operand->shape())));
    }
    for (const HloComputation* callee : i->called_computations())
      if (drawn.contains(callee->root()->id()))
        text += Format("n{}->n{}[style=dashed];\n", callee->root()->id(), i->id());
  }
  return text + "}\n";
}

std::string GraphJson(const ModuleGraph& graph) {
  const CostAnalysis cost(*graph.module);
  Json nodes = Json::array();
  std::set<int32_t> drawn;
  for (const View& view : graph.views)
    for (const Box& box : view.boxes)
      if (box.instruction != nullptr && !box.outside) drawn.insert(box.instruction->id());
  for (size_t v = 0; v < graph.views.size(); ++v) {
    const std::string path = PathOf(graph, static_cast<int32_t>(v));
    for (const Box& box : graph.views[v].boxes) {
      if (box.instruction == nullptr || box.outside) continue;
      const HloInstruction& i = *box.instruction;
      Json incoming = Json::array(), attributes = Json::array();
      for (int64_t k = 0; k < i.operand_count(); ++k) {
        if (!drawn.contains(i.operand(k)->id())) continue;
        incoming.push_back({{"sourceNodeId", Format("{}", i.operand(k)->id())},
                            {"sourceNodeOutputId", "0"},
                            {"targetNodeInputId", Format("{}", k)}});
      }
      // Model Explorer has no calls: operands of a caller lead to the parameters, and the root leads back.
      const auto come = [&](const HloInstruction& from) {
        if (!drawn.contains(from.id())) return;
        incoming.push_back({{"sourceNodeId", Format("{}", from.id())},
                            {"sourceNodeOutputId", "0"},
                            {"targetNodeInputId", Format("{}", incoming.size())}});
      };
      const auto callers = i.parent()->callers();
      if (i.IsParameter() && callers.size() == 1 && callers[0]->operand_count() == i.parent()->parameter_count())
        come(*callers[0]->operand(i.parameter_number()));
      for (const HloComputation* callee : i.called_computations())
        if (callee->callers().size() == 1) come(*callee->root());
      const auto attribute = [&](const char* key, std::string value) {
        attributes.push_back({{"key", key}, {"value", std::move(value)}});
      };
      const CostResult costs = cost.Of(i);
      attribute("name", Name(i));
      attribute("text", Text(i));
      attribute("flops", Format("{}", costs.once.flops));
      attribute("bytes", Format("{}", costs.once.bytes));
      if (i.metadata() != nullptr && !i.metadata()->op_name.empty())
        attribute("op_name", std::string(i.metadata()->op_name));
      if (const auto line = SourceOf(i)) attribute("source", line->ToString());
      nodes.push_back({{"id", Format("{}", i.id())},
                       {"label", i.opcode_name()},
                       {"namespace", path},
                       {"attrs", std::move(attributes)},
                       {"incomingEdges", std::move(incoming)},
                       {"outputsMetadata",
                        {{{"id", "0"},
                          {"attrs",
                           {{{"key", "__tensor_tag"}, {"value", Name(i)}},
                            {{"key", "shape"}, {"value", ShapeText(i.shape())}}}}}}}});
    }
  }
  return JsonLine(
      {{"label", graph.module->name()}, {"graphs", {{{"id", graph.module->name()}, {"nodes", std::move(nodes)}}}}});
}

StatusOr<std::string> GraphSvg(const ModuleGraph& graph) {
  const View& view = graph.views.front();
  std::string text = Format(kDotHead, Quoted(graph.module->name() + ": " + view.title));
  for (size_t b = 0; b < view.boxes.size(); ++b) {
    const Box& box = view.boxes[b];
    if (box.instruction == nullptr) {
      text += Format("n{}[label={},shape=folder,fillcolor=\"#eeeeff\"];\n", b, Quoted(TitleOf(graph, box.view)));
    } else {
      text += Format("n{}[{}{}];\n", b, DotBox(*box.instruction), box.outside ? ",style=dashed" : "");
    }
  }
  for (const ModuleGraph::Edge& edge : view.edges) {
    const std::string label = edge.values > 1 ? Format("{} values", edge.values) : ShapeText(edge.value->shape());
    text += Format("n{}->n{}[label={}];\n", edge.from, edge.to, Quoted(label));
  }
  return RunDot(text + "}\n", "svg");
}

StatusOr<std::string> GraphPage(const ModuleGraph& graph) {
  std::vector<LayoutGraph> layouts;
  const auto label = [&](const Box& box) {
    return box.instruction != nullptr ? ShortName(Name(*box.instruction), 32) : ShortName(TitleOf(graph, box.view), 32);
  };
  for (const View& view : graph.views) {
    LayoutGraph& layout = layouts.emplace_back();
    for (const Box& box : view.boxes) {
      constexpr size_t kCount = 20;  // "1234 instructions"
      size_t characters = box.instruction != nullptr ? label(box).size() : std::max(label(box).size(), kCount);
      if (box.instruction != nullptr)
        characters = std::max(characters, OperationText(*box.instruction).size() +
                                              std::min<size_t>(ShapeText(box.instruction->shape()).size(), 24) + 2);
      layout.sizes.push_back({WidthOf(std::min<size_t>(characters, 40)), 38});
    }
    for (const ModuleGraph::Edge& edge : view.edges) layout.edges.push_back({edge.from, edge.to});
  }
  HLOIR_ASSIGN_OR_RETURN(const std::vector<LayoutResult> placed, LayOut(layouts));
  const ModuleStats stats(*graph.module);
  std::unordered_map<const HloInstruction*, double> shares;
  for (const ModuleStats::Step& step : stats.steps) shares[step.instruction] = step.share;
  const CostAnalysis cost(*graph.module);

  Json views = Json::array();
  for (size_t v = 0; v < graph.views.size(); ++v) {
    const View& view = graph.views[v];
    Json boxes = Json::array(), edges = Json::array();
    for (size_t b = 0; b < view.boxes.size(); ++b) {
      const Box& box = view.boxes[b];
      Json json = {{"x", static_cast<int64_t>(placed[v].centers[b].first)},
                   {"y", static_cast<int64_t>(placed[v].centers[b].second)},
                   {"w", static_cast<int64_t>(layouts[v].sizes[b].first)}};
      if (box.instruction != nullptr) json["i"] = box.instruction->id();
      else json["v"] = box.view;
      if (box.outside) json["o"] = 1;
      boxes.push_back(std::move(json));
    }
    for (const ModuleGraph::Edge& edge : view.edges) {
      edges.push_back({edge.from, edge.to, edge.values,
                       edge.values > 1 ? Format("{} values", edge.values) : ShapeText(edge.value->shape())});
    }
    Json json = {{"title", view.title},
                 {"kind", view.kind},
                 {"parent", view.parent},
                 {"w", static_cast<int64_t>(placed[v].width)},
                 {"h", static_cast<int64_t>(placed[v].height)}};
    if (view.caller != nullptr) json["caller"] = view.caller->id();
    json["boxes"] = std::move(boxes), json["edges"] = std::move(edges);
    views.push_back(std::move(json));
  }
  Json instructions = Json::object();
  auto& by_id = instructions.get_ref<Json::object_t&>();  // of Json's own ways to add, each looks through all
  for (size_t v = 0; v < graph.views.size(); ++v) {
    for (const Box& box : graph.views[v].boxes) {
      if (box.instruction == nullptr || box.outside) continue;
      const HloInstruction& i = *box.instruction;
      const Cost costs = cost.Of(i).once;
      Json json = {
          {"n", Name(i)}, {"op", OperationText(i)}, {"k", KindOf(i)}, {"s", ShapeText(i.shape())}, {"t", Text(i)},
          {"v", v},       {"c", shares[&i]}};
      if (costs.flops > 0) json["f"] = HumanCount(costs.flops);
      if (costs.transcendentals > 0) json["x"] = HumanCount(costs.transcendentals);
      if (costs.bytes > 0) json["b"] = HumanCount(costs.bytes);
      if (i.metadata() != nullptr && !i.metadata()->op_name.empty()) json["m"] = i.metadata()->op_name;
      if (const auto line = SourceOf(i)) json["l"] = line->ToString();
      if (i.IsRoot()) json["r"] = 1;
      Json operands = Json::array(), users = Json::array(), calls = Json::array();
      for (const HloInstruction* operand : i.operands()) operands.push_back(operand->id());
      constexpr size_t kMostUsers = 50;
      for (size_t k = 0; k < std::min(kMostUsers, i.users().size()); ++k) users.push_back(i.users()[k]->id());
      for (const auto& [name, callee] : graph.CalledViews(i)) calls.push_back({name, callee});
      if (!operands.empty()) json["p"] = std::move(operands);
      if (!users.empty()) json["u"] = std::move(users);
      if (!calls.empty()) json["d"] = std::move(calls);
      by_id.emplace_back(Format("{}", i.id()), std::move(json));
    }
  }
  const Json data = {{"name", graph.module->name()},
                     {"instructions", std::move(instructions)},
                     {"views", std::move(views)},
                     {"count", graph.instructions}};
  return FillPage(kGraphPage, JsonLine(data));
}

}  // namespace hloir
