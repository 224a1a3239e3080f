// Where boxes stand: Graphviz's program `dot` is asked, once for each of some graphs that differ. A program and not a
// library, so that nothing it does on a strange graph is done to us.
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
// The boxes' middles, in points, y downwards; and the size of the whole. In the playground, where there is no program,
// it is nothing and the page asks dagre when a graph is to be seen (page.js).
struct LayoutResult {
  std::vector<std::pair<double, double>> centers;
  double width = 0, height = 0;
};
StatusOr<std::vector<LayoutResult>> LayOut(const std::vector<LayoutGraph>& graphs);

// `dot -Tsvg` of a text in Graphviz's language.
StatusOr<std::string> RunDot(const std::string& text, const std::string& format);

}  // namespace hloir
