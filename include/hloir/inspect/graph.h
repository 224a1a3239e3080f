// A module as a picture: folded into views of at most some 200 boxes each, drawn by Graphviz. A view is a computation,
// an op_name scope in it, or a part of one that is too long; what an instruction calls is a view behind its box.
//
// Example:
//
//   StatusOr<ModuleGraph> graph = MakeGraph(module, {.around = "r", .depth = 2});
//   if (graph.ok()) std::puts(GraphDot(*graph).c_str());      // for Graphviz
//   // GraphJson: for Model Explorer. GraphSvg and GraphPage (one HTML file) lay out by the program `dot`.
//
// Threads: reads the module, which must outlive the graph unchanged; any thread may make one.
// Tested by tests/unit/graph_test.cc, tests/cli/graph.test and, in a browser, tests/pages.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Which part of a module to draw. Names are those of instructions and computations; one that is not there is
// InvalidArgument.
struct GraphOptions {
  std::string computation = {};    // this one and what it calls; "": the entry
  std::string around = {};         // an instruction, and
  int64_t depth = 2;               // what is at most so many operands and users away
  std::string from = {}, to = {};  // what is computed from the one and needed for the other
  size_t most_boxes = 200;         // of a view; what has more is cut into parts
};

// What is drawn, view by view.
struct ModuleGraph {
  // A box: an instruction, or a view that is folded into one.
  struct Box {
    const HloInstruction* instruction = nullptr;  // null: a view
    int32_t view = -1;
    bool outside = false;  // belongs to another view, and is shown as it comes in from there
  };
  // Values that go from one box to another.
  struct Edge {
    int32_t from = 0, to = 0;  // boxes of the view
    int64_t values = 1;
    const HloInstruction* value = nullptr;  // one of them
  };
  // What is seen at once.
  struct View {
    std::string title, kind;  // kind: "computation", "scope", "part"
    int32_t parent = -1;      // the view that it is folded into
    const HloInstruction* caller = nullptr;
    std::vector<Box> boxes;
    std::vector<Edge> edges;
  };
  const HloModule* module = nullptr;
  std::vector<View> views;  // the first is where one begins
  int64_t instructions = 0;
  // The view that an instruction calls, by its id, and the computation; -1: none.
  std::vector<std::pair<std::string, int32_t>> CalledViews(const HloInstruction& instruction) const;
  std::vector<int32_t> view_of_computation;  // by id
};
StatusOr<ModuleGraph> MakeGraph(const HloModule& module, const GraphOptions& options = {});

// All of it, unfolded, in Graphviz's language.
std::string GraphDot(const ModuleGraph& graph);
// As Model Explorer reads it (ai-edge-model-explorer): views are namespaces.
std::string GraphJson(const ModuleGraph& graph);
// The first view, and one HTML file with all views, which needs nothing else. Unimplemented where there is no `dot`.
StatusOr<std::string> GraphSvg(const ModuleGraph& graph);
StatusOr<std::string> GraphPage(const ModuleGraph& graph);

}  // namespace hloir
#pragma GCC visibility pop
