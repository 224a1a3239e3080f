// The layout of a graph: boxes in rows, each below its operands (Sugiyama's method). FindLayers assigns boxes to rows
// and orders them, for pages that place them themselves; LayOut also places them, for pictures of fixed size. Callers
// draw the edges. Tested by tests/unit/layout_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hloir {

using LayoutEdge = std::pair<int32_t, int32_t>;  // from, to: boxes by number

// Row by row from above: a box by its number n, or ~n, a position where values of box n cross the row.
using Layers = std::vector<std::vector<int32_t>>;
// In a cycle of edges, those to boxes with lower numbers are ignored.
Layers FindLayers(int32_t boxes, std::span<const LayoutEdge> edges);

struct LayoutGraph {
  std::vector<std::pair<double, double>> sizes;
  std::vector<LayoutEdge> edges;
};
struct LayoutResult {
  std::vector<std::pair<double, double>> centers;  // of boxes, y downwards
  double width = 0, height = 0;
};
LayoutResult LayOut(const LayoutGraph& graph);

}  // namespace hloir
