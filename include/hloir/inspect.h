// Views of modules for people: contents (ModuleStats), the difference of two (ModuleDiff), pictures (ModuleGraph). Each
// section below shows its use.
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
#include "hloir/source_line.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Counts of a module: instructions by opcode, type, computation, op_name scope and source line, each with its cost;
// fusions, layouts, constants, parameters, collectives, custom-calls; the longest path; peak memory. One way of
// counting for every command: CountInstructions.
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

// The number of instructions of a module: all in its text, and the top-level ones, which are in the entry or in
// computations called by control flow. A fusion or a reduction is one top-level instruction.
struct InstructionCount {
  int64_t instructions = 0, top_level = 0;
};
InstructionCount CountInstructions(const HloModule& module);

// A module in figures. Costs are of all runs of an instruction together (a loop's body counts as often as its trip
// count, where known, and a conditional's branches once each). The operations of a fusion count in its body, the bytes
// that it reads and writes at the fusion.
struct ModuleStats {
  explicit ModuleStats(const HloModule& module);

  // Instructions that have something in common.
  struct Tally {
    std::string key;
    int64_t instructions = 0;
    Cost cost;
    bool times_known = true;  // false if some are in a loop with unknown trip count
  };
  // A computation, and how often it runs.
  struct Computation {
    const HloComputation* computation = nullptr;
    CallContext context = CallContext::kNone;
    double times = 0;  // executions in one run of the entry, as control flow; 0: none
    Cost cost;         // of one run
    bool times_known = true;
  };
  // A top-level instruction other than control flow, which has no cost itself.
  struct Step {
    const HloInstruction* instruction = nullptr;
    double times = 0;
    Cost cost;         // with the computations that it calls, such as a fusion's body
    Cost once;         // of one run, as XLA counts it
    double share = 0;  // of the module's operations, or of its bytes: the larger
    bool times_known = true;
  };
  // A fusion and its contents.
  struct Fusion {
    Step step;                                              // a fusion within another counts as one instruction
    std::vector<std::pair<std::string, int64_t>> contents;  // opcodes, the most frequent first; no parameters
    // An instruction of the body and its operations in one run of the fusion; it moves no bytes.
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
  // By key, in descending order of instructions; scopes and source lines by share. A scope is a prefix of op_names:
  // "jit(f)/layer" contains all op_names that begin with it.
  std::vector<Tally> opcodes, types, layouts, scopes, source_lines, custom_calls;
  std::vector<Fusion> fusions;      // the costliest first
  std::vector<Constant> constants;  // the largest first
  std::vector<const HloInstruction*> parameters;
  std::vector<Communication> collectives;  // those in two halves once
  std::vector<Step> steps;                 // the costliest first
  // Through the entry: the path with the most instructions, and the one with the largest cost.
  Path longest, costliest;
  int64_t layout_changes = 0;  // copies and bitcasts whose result has another layout than their operand

  // Its share of the module's operations or of its bytes: the larger of the two.
  double Share(const Cost& cost) const;
};

// Tables as text, each of at most `most` rows; and everything as JSON.
std::string StatsReport(const ModuleStats& stats, size_t most = 10);
std::string StatsJson(const ModuleStats& stats);

// The structural difference of two modules: pairs of matching instructions, and an account of those without a match.
// Names, ids and order are ignored except to break ties. Fusions and calls are transparent: fused instructions are
// compared with unfused ones of the other module.
//
// Example:
//
//   std::unique_ptr<HloModule> before = module.Clone();
//   if (auto pipeline = MakePipeline({}, {}); !pipeline.ok() || !pipeline->RunOnce(module).ok()) return;
//   const ModuleDiff diff(*before, module);
//   if (!diff.same()) std::puts(DiffReport(diff).c_str());
//   for (const ModuleDiff::Removal& removal : diff.removed())
//     if (removal.reason == ModuleDiff::RemovalReason::kFolded) std::puts("folded");
//
// Threads: reads both modules, which must outlive it unchanged; any thread may make one.
// Tested by tests/unit/diff_test.cc, against the record of rewrites and against values, and tests/cli/diff.test.

// A match of two modules' instructions.
class ModuleDiff {
 public:
  // The differences of a matched pair; bits.
  enum Change : uint32_t {
    kConstant = 1 << 0,    // another value
    kAttributes = 1 << 1,  // another attribute, sharding, backend config, …
    kShape = 1 << 2,       // another element type or other dimensions
    kLayout = 1 << 3,      // another order in memory
    kOperands = 1 << 4,    // an operand is another value, whose change is reported separately
    kFused = 1 << 5,       // now in a fusion, no longer in one, or in another
    kMoved = 1 << 6,       // in another computation, except fusions and calls: out of a loop, into a branch
    kCalled = 1 << 7,      // a called computation has changed
  };
  // The reason why the second module does not have an instruction.
  enum class RemovalReason : uint8_t {
    kFolded,     // a constant stands there
    kMerged,     // another instruction computes the same
    kRewritten,  // something else stands there
    kInlined,    // a fusion, a call, its parameters, a tuple element: replaced by the value itself
    kDead,       // nothing needs it
  };
  struct Pair;
  struct Removal;

  ModuleDiff(const HloModule& before, const HloModule& after);

  // True if the modules differ in names, ids, metadata and order only.
  bool same() const;
  const HloModule& before() const { return *before_; }
  const HloModule& after() const { return *after_; }
  // In the order of `before`, callees first.
  const std::vector<Pair>& matched() const { return matched_; }
  const std::vector<Removal>& removed() const { return removed_; }
  const std::vector<const HloInstruction*>& added() const { return added_; }
  // The other module's instruction; nullptr for none.
  const HloInstruction* MatchOf(const HloInstruction& instruction) const;

 private:
  const HloModule *before_, *after_;
  std::vector<Pair> matched_;
  std::vector<Removal> removed_;
  std::vector<const HloInstruction*> added_;
  std::vector<const HloInstruction*> after_of_, before_of_;  // by id
};

// An instruction of the first module, and its match in the second.
struct ModuleDiff::Pair {
  const HloInstruction *before = nullptr, *after = nullptr;
  uint32_t changes = 0;
};
// An instruction of the first module without a match in the second.
struct ModuleDiff::Removal {
  const HloInstruction* instruction = nullptr;
  RemovalReason reason = RemovalReason::kDead;
  const HloInstruction* became = nullptr;  // of the second module: its replacement; nullptr if kDead
};

// "fused, layout"
std::string ChangeWords(uint32_t changes);
std::string_view RemovalReasonName(ModuleDiff::RemovalReason reason);

// A pair whose values differ.
struct ValueMismatch {
  const HloInstruction *before = nullptr, *after = nullptr;
  std::string before_value, after_value;  // as ValueSummary gives them
};
// The result of CheckMatchedValues.
struct ValueCheck {
  std::vector<const HloInstruction*> agreeing;  // of the first module
  std::vector<ValueMismatch> mismatches;
};
// Runs both modules on the same generated inputs, by the reference evaluator, and compares the first values of each
// matched pair of arrays; values that differ by more than rounding are a mismatch. Pairs with kConstant, kAttributes,
// kShape or kCalled among their changes are left out, because their values may differ.
StatusOr<ValueCheck> CheckMatchedValues(const ModuleDiff& diff, uint64_t seed = 0);

// As text: costs of both and changes by kind, at most `most` of each; the changes alone; and as JSON (docs/json.md).
std::string DiffReport(const ModuleDiff& diff, size_t most = 10);
std::string DiffChanges(const ModuleDiff& diff, size_t most = 10);
std::string DiffJson(const ModuleDiff& diff);

// A module as a map: folded into views of at most 24 boxes each. A view is a computation or a scope in it: of
// op_names, or, without these, a repeated layer, a pattern (attention, a norm) or a part. The computation that an
// instruction calls is a view behind its box. Constants, their broadcasts, parameters of long computations, tuples and
// bitcasts have no boxes: they are folded into their users.
//
// Example:
//
//   StatusOr<ModuleGraph> graph = MakeGraph(module, {.around = "r", .depth = 2});
//   if (graph.ok()) std::puts(GraphDot(*graph).c_str());      // for Graphviz
//   // GraphJson: for Model Explorer. GraphSvg: a picture. GraphPage: one HTML file.
//
// Threads: reads the module, which must outlive the graph unchanged; any thread may make one.
// Tested by tests/unit/graph_test.cc, tests/cli/graph.test and, in a browser, tests/pages.

// The part of a module to draw. Names are those of instructions and computations; an unknown name is InvalidArgument.
struct GraphOptions {
  std::string computation = {};    // this one and those that it calls; "": the entry
  std::string around = {};         // an instruction, and
  int64_t depth = 2;               // the maximal distance from `around` in edges
  std::string from = {}, to = {};  // instructions that depend on the one and on which the other depends
  size_t most_boxes = 24;          // boxes in a view; larger views are divided
};

// The picture, view by view.
struct ModuleGraph {
  // A box: an instruction, or a view that is folded into one.
  struct Box {
    const HloInstruction* instruction = nullptr;  // null: a view
    int32_t view = -1;
    std::vector<const HloInstruction*> folded = {};  // into the instruction's box
  };
  // Values that go from one box to another.
  struct Edge {
    int32_t from = 0, to = 0;  // boxes of the view
    int64_t values = 1;
    const HloInstruction* value = nullptr;  // one of them
  };
  // The boxes and edges that are drawn together.
  struct View {
    std::string title, kind;  // kind: "computation", "scope", "layer", "pattern", "part"
    int32_t parent = -1;      // the view that it is folded into
    const HloInstruction* caller = nullptr;
    const HloComputation* computation = nullptr;
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
// The first view.
std::string GraphSvg(const ModuleGraph& graph);
// One self-contained HTML file with all views. Shares are of FLOPs and of bytes; with a device, of time by its roofline
// too.
std::string GraphPage(const ModuleGraph& graph, const DeviceDescription* device = nullptr);
// One file with the maps of both modules side by side. It colors removed, added and changed instructions. Selecting an
// instruction on one side selects its match on the other.
StatusOr<std::string> DiffPage(const ModuleDiff& diff, const DeviceDescription* device = nullptr);

}  // namespace hloir
#pragma GCC visibility pop
