// `hloir graph`: boxes and edges, completeness after folding, parts of a module, Model Explorer's JSON. The page in a
// browser: tests/pages.
#include "hloir/inspect.h"

#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "hloir/builder.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

constexpr char kText[] = R"(HloModule m
fused {
  p = f32[4]{0} parameter(0)
  ROOT t = f32[4]{0} tanh(p)
}
ENTRY e {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} parameter(1)
  a = f32[4]{0} add(x, y)
  f = f32[4]{0} fusion(a), kind=kLoop, calls=fused
  m = f32[4]{0} multiply(f, y)
  ROOT r = f32[4]{0} negate(m)
}
)";

std::set<std::string> NamesIn(const ModuleGraph& graph) {
  std::set<std::string> names;
  for (const ModuleGraph::View& view : graph.views)
    for (const ModuleGraph::Box& box : view.boxes) {
      if (box.instruction != nullptr) names.emplace(box.instruction->name());
      for (const HloInstruction* i : box.folded) names.emplace(i->name());
    }
  return names;
}

}  // namespace

TEST_CASE("parts of a module: a neighbourhood, a path, a computation") {
  auto module = Parse(kText);
  const auto names = [&](const GraphOptions& options) {
    auto graph = MakeGraph(*module, options);
    REQUIRE(graph.ok());
    return NamesIn(*graph);
  };
  using Names = std::set<std::string>;
  CHECK(names({}) == Names{"x", "y", "a", "f", "m", "r", "p", "t"});
  CHECK(names({.around = "r", .depth = 1}) == Names{"r", "m"});
  CHECK(names({.around = "r", .depth = 0}) == Names{"r"});
  CHECK(names({.around = "r", .depth = 2}) == Names{"r", "m", "f", "y", "p", "t"});
  CHECK(names({.from = "x", .to = "m"}) == Names{"x", "a", "f", "m", "p", "t"});
  CHECK(names({.computation = "fused"}) == Names{"p", "t"});
  CHECK(MakeGraph(*module, {.around = "nobody"}).status().message().find("'nobody'") != std::string::npos);
  CHECK(!MakeGraph(*module, {.computation = "nobody"}).ok());
  CHECK(MakeGraph(*module, {.from = "r", .to = "x"}).status().message() == "there is no path from 'r' to 'x'");
}

TEST_CASE("folding loses no instruction and no edge") {
  int64_t modules = 0;
  for (const std::filesystem::path& path : FilesIn(std::string(kCorpusFolder) + "/with_metadata")) {
    INFO(path.string());
    auto module = ReadModule(path.string());
    REQUIRE(module.ok());
    auto graph = MakeGraph(**module);
    REQUIRE(graph.ok());
    std::set<int32_t> drawn;
    for (const ModuleGraph::View& view : graph->views) {
      CHECK(view.boxes.size() <= 24);
      for (const ModuleGraph::Box& box : view.boxes) {
        if (box.instruction != nullptr) CHECK(drawn.insert(box.instruction->id()).second);
        for (const HloInstruction* i : box.folded) CHECK(drawn.insert(i->id()).second);
      }
      for (const ModuleGraph::Edge& edge : view.edges) CHECK(edge.from != edge.to);
    }
    CHECK(static_cast<int64_t>(drawn.size()) == (*module)->instruction_count());
    // Each view but the first is behind a box, or behind an instruction that calls it.
    for (size_t v = 1; v < graph->views.size(); ++v) {
      const ModuleGraph::View& parent = graph->views[static_cast<size_t>(graph->views[v].parent)];
      bool found = false;
      for (const ModuleGraph::Box& box : parent.boxes)
        found = found || box.view == static_cast<int32_t>(v) || box.instruction == graph->views[v].caller;
      CHECK(found);
    }
    ++modules;
  }
  CHECK(modules > 40);
}

TEST_CASE("a long computation is cut into parts, however long it is") {
  HloModule module("long");
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, Shape::Array(PrimitiveType::F32, {4}), "x");
  for (int k = 0; k < 50000; ++k) x = b.Negate(x);
  REQUIRE(b.BuildEntry(x).ok());
  auto graph = MakeGraph(module);
  REQUIRE(graph.ok());
  CHECK(graph->instructions == 50001);
  CHECK(NamesIn(*graph).size() == 50001);
  for (const ModuleGraph::View& view : graph->views) CHECK(view.boxes.size() <= 24);
}

TEST_CASE("Model Explorer's JSON: nodes with namespaces, edges to nodes that are there") {
  auto module = Parse(kText);
  auto graph = MakeGraph(*module);
  REQUIRE(graph.ok());
  const nlohmann::json json = nlohmann::json::parse(GraphJson(*graph));
  REQUIRE(json["graphs"].size() == 1);
  std::set<std::string> ids;
  for (const auto& node : json["graphs"][0]["nodes"]) ids.insert(node["id"].get<std::string>());
  CHECK(ids.size() == 8);
  for (const auto& node : json["graphs"][0]["nodes"]) {
    for (const auto& edge : node["incomingEdges"]) CHECK(ids.contains(edge["sourceNodeId"].get<std::string>()));
    if (node["label"] == "tanh") CHECK(node["namespace"] == "f: fused");
    if (node["label"] == "fusion") CHECK(node["incomingEdges"].size() == 2);  // its operand, and its body's result
    if (node["label"] == "multiply") CHECK(node["incomingEdges"].size() == 2);
  }
}

TEST_CASE("names with quotes and brackets stay text") {
  auto module = Parse(kText);
  // Names are made legal; op_names are any text.
  module->entry_computation()->root()->set_name("\"]; </script><b>\\");
  OpMetadata metadata;
  metadata.op_name = "\"]; </script><b>\\";
  module->entry_computation()->root()->set_metadata(metadata);
  auto graph = MakeGraph(*module);
  REQUIRE(graph.ok());
  CHECK(GraphDot(*graph).find("</script><b>") == std::string::npos);
  CHECK(nlohmann::json::accept(GraphJson(*graph)));
  const std::string page = GraphPage(*graph);
  CHECK(page.find("</script><b>") == std::string::npos);
  CHECK(page.find("\\u003c/script\\u003e\\u003cb\\u003e") != std::string::npos);
  CHECK(GraphSvg(*graph).find("<b>") == std::string::npos);
}

namespace {

// The contents of a page: its data, and its instructions by id.
nlohmann::json DataOf(const std::string& page) {
  const auto json = [&](size_t from) {
    const size_t begin = page.find('>', from) + 1;
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  };
  nlohmann::json data = json(page.find("id=\"data\""));
  data["instructions"] = nlohmann::json::object();
  for (size_t at = 0; (at = page.find("application/json\" id=\"i", at)) != std::string::npos; ++at)
    data["instructions"].update(json(at));
  return data;
}

}  // namespace

TEST_CASE("shares of a page add up: of each measure, boxes to their view, calls to their callers") {
  auto device = ParseDevice(R"({"name": "d", "bandwidth": 1e9, "flops": {"default": 1e9}})");
  REQUIRE(device.ok());
  size_t views = 0;
  for (const std::filesystem::path& path : FilesIn(std::string(kCorpusFolder) + "/with_metadata")) {
    INFO(path.string());
    auto module = ReadModule(path.string());
    REQUIRE(module.ok());
    auto graph = MakeGraph(**module);
    REQUIRE(graph.ok());
    const nlohmann::json data = DataOf(GraphPage(*graph, &*device));
    REQUIRE(data["measures"].size() == 3);
    CHECK(data["measures"][2][0] == "time");
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(a) + 100; };
    for (const auto& view : data["views"]) {
      for (size_t m = 0; m < 3; ++m) {
        double sum = 0;
        for (const auto& box : view["b"]) {
          const auto id = box.get<int64_t>();
          sum += (id < 0 ? data["views"][static_cast<size_t>(~id)] : data["instructions"][std::to_string(id)])["c"][m]
                     .get<double>();
        }
        CHECK(near(sum, view["c"][m].get<double>()));
      }
      ++views;
    }
    for (const auto& [id, i] : data["instructions"].items()) {
      if (i["op"] != "call" && i["op"] != "while" && i["op"] != "conditional") continue;
      for (size_t m = 0; m < 3; ++m) {
        double sum = 0;  // of called computations and of instructions folded into its box
        if (i.contains("g"))
          for (const auto& folded : i["g"])
            sum += data["instructions"][std::to_string(folded.get<int64_t>())]["c"][m].get<double>();
        for (const auto& call : i["d"])
          sum += data["views"][call[1].get<size_t>()]["c"][m].get<double>() * call[2].get<double>();
        CHECK(near(sum, i["c"][m].get<double>()));
      }
    }
  }
  CHECK(views > 200);
}

TEST_CASE("a loop costs what its rounds cost, and one whose rounds are not known says so") {
  constexpr char kLoop[] = R"(HloModule m
body {
  s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[100] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[100] multiply(x, x)
  ROOT t = (s32[], f32[100]) tuple(j, y)
}
cond {
  s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(7)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[100] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[100]) tuple(zero, x)
  ROOT w = (s32[], f32[100]) while(t), condition=cond, body=body
}
)";
  auto module = Parse(kLoop);
  auto graph = MakeGraph(*module);
  REQUIRE(graph.ok());
  nlohmann::json data = DataOf(GraphPage(*graph));
  const auto loop = [&] {
    for (const auto& [id, i] : data["instructions"].items())
      if (i["n"] == "w") return i;
    return nlohmann::json();
  };
  // Seven rounds of 101 operations, and eight comparisons.
  CHECK(loop()["c"][0] == 7 * 101 + 8);
  CHECK(!loop().contains("q"));
  CHECK(data["measures"].size() == 2);
  std::string unknown = kLoop;
  unknown.replace(unknown.find("constant(7)"), 11, "custom-call(i), custom_call_target=\"f\"");
  module = Parse(unknown);
  graph = MakeGraph(*module);
  REQUIRE(graph.ok());
  data = DataOf(GraphPage(*graph));
  CHECK(loop()["q"] == 1);
}

TEST_CASE("an edge is in the smallest view that has both ends") {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[4] parameter(0)\n";
  for (int k = 1; k <= 24; ++k)
    text += "  x" + std::to_string(k) + " = f32[4] negate(x" + std::to_string(k - 1) +
            "), metadata={op_name=\"jit(f)/" + (k <= 12 ? "a" : "b") + "/op\"}\n";
  auto module = Parse(text + "  ROOT r = f32[4] add(x24, x3), metadata={op_name=\"jit(f)/add\"}\n}\n");
  auto graph = MakeGraph(*module);
  REQUIRE(graph.ok());
  const ModuleGraph::View& whole = graph->views.front();
  CHECK(whole.boxes.size() == 3);  // two scopes and the root; the parameter belongs to its user
  std::set<std::pair<int32_t, int32_t>> edges;
  for (const ModuleGraph::Edge& edge : whole.edges) {
    CHECK(edge.values == 1);
    edges.insert({edge.from, edge.to});
  }
  CHECK(edges == std::set<std::pair<int32_t, int32_t>>{{0, 1}, {0, 2}, {1, 2}});
}

TEST_CASE("an SVG needs no other program") {
  auto module = Parse(kText);
  auto graph = MakeGraph(*module);
  REQUIRE(graph.ok());
  const std::string svg = GraphSvg(*graph);
  size_t boxes = 0;
  for (size_t at = 0; (at = svg.find("class=\"node\"", at)) != std::string::npos; ++at) ++boxes;
  CHECK(boxes == 6);
  CHECK(svg.find("NaN") == std::string::npos);
}
