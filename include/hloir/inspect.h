// Modules as people look at them: what is in one (ModuleStats), what differs between two (ModuleDiff), and one as a
// picture (ModuleGraph). Each part says below how it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/analysis.h"
#include "hloir/cost.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// What is in a module, counted: instructions by opcode, type, computation, op_name scope and source line, each with
// what it costs; fusions, layouts, constants, parameters, collectives, custom-calls; the longest path; memory at its
// peak. One way of counting for every command: CountInstructions.
//
// Example:
//
//   const ModuleStats stats(module);
//   std::puts(StatsReport(stats).c_str());      // tables, 80 columns wide
//   std::puts(StatsJson(stats).c_str());        // docs/json.md has the fields
//   for (const ModuleStats::Tally& tally : stats.opcodes) (void)(tally.key == "dot" && tally.cost.flops > 0);
//
// Threads: reads the module, so any thread may make one; it looks into the module, which must outlive it unchanged.
// Tested by tests/unit/stats_test.cc and tests/cli/stats.test.

// How many instructions a module has: as its text has them, and those of them that are top-level: in the entry
// or in what control flow runs. So a fusion is one, and so is a reduction.
struct InstructionCount {
  int64_t instructions = 0, top_level = 0;
};
InstructionCount CountInstructions(const HloModule& module);

// The line of a program that an instruction comes from: what its metadata says, or the innermost of its stack frames.
struct SourceLine {
  std::string_view file, function;  // the module's texts; either may be empty
  int64_t line = 0;
  bool operator==(const SourceLine&) const = default;
  std::string ToString() const;  // "a.py:3"
};
std::optional<SourceLine> SourceOf(const HloInstruction& instruction);

// A module in figures. Costs are of all runs of an instruction together (a loop's body counts as often as it runs,
// where that is known, and a conditional's branches once each). What a fusion computes counts where it is written, in
// the fusion's body; what it reads and writes counts for the fusion.
struct ModuleStats {
  explicit ModuleStats(const HloModule& module);

  // Instructions that have something in common.
  struct Tally {
    std::string key;
    int64_t instructions = 0;
    Cost cost;
    bool times_known = true;  // else some of them are in a loop of which it is not known how often it runs
  };
  // A computation, and how often it runs.
  struct Computation {
    const HloComputation* computation = nullptr;
    CallContext context = CallContext::kNone;
    double times = 0;  // that the entry runs it, as a step of control flow; 0: it does not
    Cost cost;         // of one run
    bool times_known = true;
  };
  // A top-level instruction that is not control flow: what calls others has no cost of its own.
  struct Step {
    const HloInstruction* instruction = nullptr;
    double times = 0;
    Cost cost;         // with what it calls: a fusion's is all of it
    Cost once;         // of one run, as XLA counts it
    double share = 0;  // of the module's operations, or of its bytes: the larger
    bool times_known = true;
  };
  // A fusion, and what is in it.
  struct Fusion {
    Step step;                                              // of a fusion within another nothing but the instruction
    std::vector<std::pair<std::string, int64_t>> contents;  // opcodes, the most frequent first; no parameters
    // What computes something, and what that costs in one run of the fusion; it moves nothing.
    std::vector<std::pair<const HloInstruction*, Cost>> body;
  };
  // A constant, and how large it is.
  struct Constant {
    const HloInstruction* instruction = nullptr;
    int64_t bytes = 0;
  };
  // A chain of instructions, each an operand of the next.
  struct Path {
    std::vector<const HloInstruction*> instructions;  // those that cost something
    double share = 0;                                 // of all steps' shares
  };

  const HloModule* module = nullptr;
  InstructionCount count;
  CostResult cost;                        // of one run of the module
  std::vector<Computation> computations;  // callees first
  // By key, those with the most instructions first; scopes and source lines by share. A scope is a prefix of op_names:
  // "jit(f)/layer" stands for all that begins with it.
  std::vector<Tally> opcodes, types, layouts, scopes, source_lines, custom_calls;
  std::vector<Fusion> fusions;      // the costliest first
  std::vector<Constant> constants;  // the largest first
  std::vector<const HloInstruction*> parameters;
  std::vector<Communication> collectives;  // those in two halves once
  std::vector<Step> steps;                 // the costliest first
  // Through the entry: the one with the most instructions, and the costliest.
  Path longest, costliest;
  int64_t layout_changes = 0;  // copies and bitcasts whose result lies in another order than their operand

  // Which part of the module's operations or of its bytes this is: the larger of the two.
  double Share(const Cost& cost) const;
};

// Tables for people, of each at most `most` rows; and all of it as JSON.
std::string StatsReport(const ModuleStats& stats, size_t most = 10);
std::string StatsJson(const ModuleStats& stats);

// What differs between two modules, by structure: which instruction of the one is which of the other, and what happened
// to those that are not the same. Names, ids and order do not count; they only break ties. Fusions and calls are looked
// through: what is fused is compared with what it was before.
//
// Example:
//
//   std::unique_ptr<HloModule> before = module.Clone();
//   if (auto pipeline = MakePipeline({}, {}); !pipeline.ok() || !pipeline->RunOnce(module).ok()) return;
//   const ModuleDiff diff(*before, module);
//   if (!diff.same()) std::puts(DiffReport(diff).c_str());
//   for (const ModuleDiff::Gone& gone : diff.removed()) (void)(gone.fate == ModuleDiff::Fate::kFolded);
//
// Threads: reads both modules, which must outlive it unchanged; any thread may make one.
// Tested by tests/unit/diff_test.cc, against the record of rewrites and against values, and tests/cli/diff.test.

// A match of two modules' instructions.
class ModuleDiff {
 public:
  // Of a matched pair, what is not the same; bits.
  enum Change : uint32_t {
    kConstant = 1 << 0,    // another value
    kAttributes = 1 << 1,  // another attribute, sharding, backend config, …
    kShape = 1 << 2,       // another element type or other dimensions
    kLayout = 1 << 3,      // another order in memory
    kOperands = 1 << 4,    // another value comes in; what that is, is a change of its own
    kFused = 1 << 5,       // now in a fusion, no longer in one, or in another
    kMoved = 1 << 6,       // in another computation, fusions and calls apart: out of a loop, into a branch
    kCalled = 1 << 7,      // what it calls has changed
  };
  // What became of an instruction that is not in the second module.
  enum class Fate : uint8_t {
    kFolded,     // a constant stands there
    kMerged,     // another instruction computes the same
    kRewritten,  // something else stands there
    kInlined,    // a fusion, a call, its parameters, an element of a tuple: what it stood for stands there itself
    kDead,       // nothing needs it
  };
  struct Pair;
  struct Gone;

  ModuleDiff(const HloModule& before, const HloModule& after);

  // Nothing differs but names, numbers, metadata and order.
  bool same() const;
  const HloModule& before() const { return *before_; }
  const HloModule& after() const { return *after_; }
  // In the order of `before`, callees first.
  const std::vector<Pair>& matched() const { return matched_; }
  const std::vector<Gone>& removed() const { return removed_; }
  const std::vector<const HloInstruction*>& added() const { return added_; }
  // The other module's instruction; nullptr for none.
  const HloInstruction* MatchOf(const HloInstruction& instruction) const;

 private:
  const HloModule *before_, *after_;
  std::vector<Pair> matched_;
  std::vector<Gone> removed_;
  std::vector<const HloInstruction*> added_;
  std::vector<const HloInstruction*> after_of_, before_of_;  // by id
};

// An instruction of the first module, and the same in the second.
struct ModuleDiff::Pair {
  const HloInstruction *before = nullptr, *after = nullptr;
  uint32_t changes = 0;
};
// An instruction of the first module that the second has not.
struct ModuleDiff::Gone {
  const HloInstruction* instruction = nullptr;
  Fate fate = Fate::kDead;
  const HloInstruction* became = nullptr;  // of the second module: what stands there now; nullptr if kDead
};

// "fused, layout"
std::string ChangeWords(uint32_t changes);
std::string_view FateWord(ModuleDiff::Fate fate);

// A pair whose values differ.
struct ValueMismatch {
  const HloInstruction *before = nullptr, *after = nullptr;
  std::string before_value, after_value;  // as ValueSummary gives them
};
// What CheckMatchedValues found.
struct ValueCheck {
  std::vector<const HloInstruction*> agreeing;  // of the first module
  std::vector<ValueMismatch> mismatches;
};
// Runs both modules on the same made-up inputs, by the reference evaluator, and compares what each matched pair of
// arrays computes first; apart from rounding, it is the same, or the pair is a mismatch. What has kConstant,
// kAttributes, kShape or kCalled among its changes is left out, as it need not be the same.
StatusOr<ValueCheck> CheckMatchedValues(const ModuleDiff& diff, uint64_t seed = 0);

// For people: costs of both, changes by kind, and of each kind at most `most`; the changes alone; and as JSON
// (docs/json.md).
std::string DiffReport(const ModuleDiff& diff, size_t most = 10);
std::string DiffChanges(const ModuleDiff& diff, size_t most = 10);
std::string DiffJson(const ModuleDiff& diff);

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
