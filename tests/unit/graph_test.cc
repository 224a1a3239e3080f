// What `hloir graph` draws: which boxes and edges, that nothing is lost by folding, parts of a module, Model Explorer's
// JSON. The page in a browser: tests/pages.
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
    for (const ModuleGraph::Box& box : view.boxes)
      if (box.instruction != nullptr && !box.outside) names.emplace(box.instruction->name());
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
      CHECK(view.boxes.size() <= 200 + 24);
      for (const ModuleGraph::Box& box : view.boxes)
        if (box.instruction != nullptr && !box.outside) CHECK(drawn.insert(box.instruction->id()).second);
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
  for (const ModuleGraph::View& view : graph->views) CHECK(view.boxes.size() <= 200 + 24);
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
  module->entry_computation()->root()->set_name("\"]; </script><b>\\");
  auto graph = MakeGraph(*module);
  REQUIRE(graph.ok());
  CHECK(GraphDot(*graph).find("label=\"\\\"]; </script><b>\\\\\\n") != std::string::npos);
  CHECK(nlohmann::json::accept(GraphJson(*graph)));
  if (const auto page = GraphPage(*graph); page.ok()) {
    CHECK(page->find("</script><b>") == std::string::npos);
    CHECK(page->find("\\u003c/script\\u003e\\u003cb\\u003e") != std::string::npos);
  } else {
    CHECK(page.status().message().find("graphviz") != std::string::npos);  // where there is none
  }
}
