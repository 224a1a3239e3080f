// A graph in Graphviz's language, as Model Explorer's JSON and as SVG; see hloir/inspect.h. The page: graph_page.cc.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "hloir/inspect.h"
#include "hloir/printer.h"
#include "inspect/graph_text.h"
#include "inspect/layout.h"
#include "support/text.h"
#include "report/json.h"
#include "support/format.h"

namespace hloir {
namespace {

using View = ModuleGraph::View;
using Box = ModuleGraph::Box;

// All instructions of a box, including those folded into it; none for a view.
template <class F>
void ForEachIn(const Box& box, F&& f) {
  if (box.instruction == nullptr) return;
  f(*box.instruction);
  for (const HloInstruction* i : box.folded) f(*i);
}

// Bytes that are not UTF-8 are replaced.
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

// Escapes text for XML; characters that XML does not allow are dropped.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '<') escaped += "&lt;";
    else if (c == '&') escaped += "&amp;";
    else escaped += c;
  }
  return escaped;
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
    if (box.instruction == nullptr) {
      if (depth < 64) AddCluster(graph, box.view, text, callees, depth + 1);
      continue;
    }
    ForEachIn(box, [&](const HloInstruction& i) { text += Format("n{}[{}];\n", i.id(), DotBox(i)); });
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

// A node of Model Explorer's.
Json NodeJson(const HloInstruction& i, const std::string& path, const std::set<int32_t>& drawn,
              const CostAnalysis& cost) {
  Json incoming = Json::array(), attributes = Json::array();
  for (int64_t k = 0; k < i.operand_count(); ++k) {
    if (!drawn.contains(i.operand(k)->id())) continue;
    incoming.push_back({{"sourceNodeId", Format("{}", i.operand(k)->id())},
                        {"sourceNodeOutputId", "0"},
                        {"targetNodeInputId", Format("{}", k)}});
  }
  // Model Explorer has no calls: edges lead from a caller's operands to the parameters, and from the root back.
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
  attribute("text", InstructionText(i));
  attribute("flops", Format("{}", costs.once.flops));
  attribute("bytes", Format("{}", costs.once.bytes));
  if (i.metadata() != nullptr && !i.metadata()->op_name.empty())
    attribute("op_name", std::string(i.metadata()->op_name));
  if (const auto line = SourceOf(i)) attribute("source", line->ToString());
  return {{"id", Format("{}", i.id())},
          {"label", i.opcode_name()},
          {"namespace", path},
          {"attrs", std::move(attributes)},
          {"incomingEdges", std::move(incoming)},
          {"outputsMetadata",
           {{{"id", "0"},
             {"attrs",
              {{{"key", "__tensor_tag"}, {"value", Name(i)}}, {{"key", "shape"}, {"value", ShapeText(i.shape())}}}}}}}};
}

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
      ForEachIn(box, [&](const HloInstruction& i) {
        if (drawn.insert(i.id()).second) instructions.push_back(&i);
      });
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
    for (const Box& box : view.boxes) ForEachIn(box, [&](const HloInstruction& i) { drawn.insert(i.id()); });
  for (size_t v = 0; v < graph.views.size(); ++v) {
    const std::string path = PathOf(graph, static_cast<int32_t>(v));
    for (const Box& box : graph.views[v].boxes) {
      ForEachIn(box, [&](const HloInstruction& i) { nodes.push_back(NodeJson(i, path, drawn, cost)); });
    }
  }
  return JsonLine(
      {{"label", graph.module->name()}, {"graphs", {{{"id", graph.module->name()}, {"nodes", std::move(nodes)}}}}});
}

std::string GraphSvg(const ModuleGraph& graph) {
  constexpr double kHeight = 38, kMargin = 12, kHead = 24;
  const View& view = graph.views.front();
  LayoutGraph layout;
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Box& box : view.boxes) {
    if (box.instruction == nullptr) lines.push_back({ShortName(TitleOf(graph, box.view), 32), "scope"});
    else
      lines.push_back({ShortName(Name(*box.instruction), 32),
                       OperationText(*box.instruction) + "  " + ShapeText(box.instruction->shape())});
    layout.sizes.push_back({7.0 * static_cast<double>(std::clamp<size_t>(
                                      std::max(lines.back().first.size(), lines.back().second.size()), 8, 48)) +
                                16,
                            kHeight});
  }
  for (const ModuleGraph::Edge& edge : view.edges) layout.edges.push_back({edge.from, edge.to});
  const LayoutResult placed = LayOut(layout);
  std::string text = Format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\" text-anchor=\"middle\">\n<text x=\"{:.0f}\" y=\"18\">{}</text>\n",
      placed.width + 2 * kMargin, placed.height + 2 * kMargin + kHead, placed.width / 2 + kMargin,
      Escaped(graph.module->name() + ": " + view.title));
  const auto at = [&](int32_t box) {
    const auto& [x, y] = placed.centers[static_cast<size_t>(box)];
    return std::pair(x + kMargin, y + kMargin + kHead);
  };
  for (const ModuleGraph::Edge& edge : view.edges) {
    const auto [x1, y1] = at(edge.from);
    const auto [x2, y2] = at(edge.to);
    const std::string label = edge.values > 1 ? Format("{} values", edge.values) : ShapeText(edge.value->shape());
    text += Format(
        "<path d=\"M{:.0f},{:.0f} C{:.0f},{:.0f} {:.0f},{:.0f} {:.0f},{:.0f}\" fill=\"none\" "
        "stroke=\"#888\"><title>{}</title></path>\n",
        x1, y1 + kHeight / 2, x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2 - kHeight / 2, Escaped(label));
  }
  for (size_t b = 0; b < view.boxes.size(); ++b) {
    const auto [x, y] = at(static_cast<int32_t>(b));
    const double width = layout.sizes[b].first;
    const HloInstruction* i = view.boxes[b].instruction;
    text += Format(
        "<g class=\"node\"><rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\" fill=\"{}\" "
        "stroke=\"#666\"/><text x=\"{:.0f}\" y=\"{:.0f}\">{}</text><text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"10.5\" "
        "fill=\"#444\">{}</text></g>\n",
        x - width / 2, y - kHeight / 2, width, kHeight, i == nullptr ? "#eeeeff" : FillOf(KindOf(*i)), x, y - 3,
        Escaped(lines[b].first), x, y + 12, Escaped(lines[b].second));
  }
  return text + "</svg>\n";
}

}  // namespace hloir
