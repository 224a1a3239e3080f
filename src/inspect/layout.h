// Layouts of graphs: runs Graphviz's program `dot`, once for each of several different graphs. A program and not the
// library, so that its errors on unusual graphs do not affect this process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hloir/status.h"

namespace hloir {

// A graph to lay out: sizes of boxes in points, and edges between them.
struct LayoutGraph {
  std::vector<std::pair<double, double>> sizes;
  std::vector<std::pair<int, int>> edges;
};
// The centers of the boxes, in points, y downwards; and the size of the whole. In the playground, which cannot run
// programs, the result is empty and the page lays out by dagre (page.js).
struct LayoutResult {
  std::vector<std::pair<double, double>> centers;
  double width = 0, height = 0;
};
StatusOr<std::vector<LayoutResult>> LayOut(const std::vector<LayoutGraph>& graphs);

// `dot -Tsvg` of a text in Graphviz's language.
StatusOr<std::string> RunDot(const std::string& text, const std::string& format);

}  // namespace hloir
