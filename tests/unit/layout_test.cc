// Rows of a graph: who is above whom, where values pass, circles; and that placed boxes do not lie on one another.
#include "inspect/layout.h"

#include <map>
#include <random>

#include "tests/unit/catch.h"

using namespace hloir;

namespace {

std::map<int32_t, size_t> RowsOf(const Layers& layers) {
  std::map<int32_t, size_t> rows;
  for (size_t r = 0; r < layers.size(); ++r)
    for (const int32_t entry : layers[r])
      if (entry >= 0) CHECK(rows.try_emplace(entry, r).second);
  return rows;
}

std::vector<LayoutEdge> RandomEdges(std::mt19937& random, int32_t boxes, size_t count) {
  std::vector<LayoutEdge> edges;
  for (size_t k = 0; k < count; ++k)
    edges.push_back({static_cast<int32_t>(random() % static_cast<uint32_t>(boxes)),
                     static_cast<int32_t>(random() % static_cast<uint32_t>(boxes))});
  return edges;
}

}  // namespace

TEST_CASE("a box stands below what it uses, and a value that goes far has a place in each row") {
  // 0 → 1 → 2 → 3, and 0 → 3.
  const Layers layers = FindLayers(4, std::vector<LayoutEdge>{{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  REQUIRE(layers.size() == 4);
  CHECK(layers[0] == std::vector<int32_t>{0});
  CHECK(std::count(layers[1].begin(), layers[1].end(), ~0) == 1);
  CHECK(std::count(layers[2].begin(), layers[2].end(), ~0) == 1);
  CHECK(layers[3] == std::vector<int32_t>{3});
}

TEST_CASE("numbers need not follow the flow") {
  auto rows = RowsOf(FindLayers(3, std::vector<LayoutEdge>{{2, 1}, {1, 0}}));
  CHECK(rows[2] == 0);
  CHECK(rows[1] == 1);
  CHECK(rows[0] == 2);
}

TEST_CASE("what uses nothing stands right above its user") {
  auto rows = RowsOf(FindLayers(4, std::vector<LayoutEdge>{{0, 1}, {1, 2}, {3, 2}}));
  CHECK(rows[3] == 1);
}

TEST_CASE("two pairs that could cross do not") {
  const Layers layers = FindLayers(4, std::vector<LayoutEdge>{{0, 3}, {1, 2}});
  REQUIRE(layers.size() == 2);
  CHECK((layers[0][0] == 0) == (layers[1][0] == 3));
}

TEST_CASE("any graph, circles and all: each box once, no two on one another") {
  std::mt19937 random(7);
  for (int k = 0; k < 200; ++k) {
    const auto boxes = static_cast<int32_t>(1 + random() % 40);
    LayoutGraph graph;
    graph.edges = RandomEdges(random, boxes, random() % 90);
    CHECK(RowsOf(FindLayers(boxes, graph.edges)).size() == static_cast<size_t>(boxes));
    for (int32_t b = 0; b < boxes; ++b) graph.sizes.push_back({20 + random() % 200, 10 + random() % 40});
    const LayoutResult placed = LayOut(graph);
    for (size_t a = 0; a < graph.sizes.size(); ++a) {
      CHECK(placed.centers[a].first - graph.sizes[a].first / 2 > -1e-6);
      CHECK(placed.centers[a].first + graph.sizes[a].first / 2 < placed.width + 1e-6);
      CHECK(placed.centers[a].second + graph.sizes[a].second / 2 < placed.height + 1e-6);
      for (size_t b = a + 1; b < graph.sizes.size(); ++b) {
        const double x = std::abs(placed.centers[a].first - placed.centers[b].first);
        const double y = std::abs(placed.centers[a].second - placed.centers[b].second);
        CHECK((x >= (graph.sizes[a].first + graph.sizes[b].first) / 2 ||
               y >= (graph.sizes[a].second + graph.sizes[b].second) / 2));
      }
    }
  }
}

TEST_CASE("no boxes") {
  CHECK(FindLayers(0, {}).empty());
  CHECK(LayOut({}).centers.empty());
}
