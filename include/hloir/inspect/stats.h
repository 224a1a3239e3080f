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
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/analysis/call_graph.h"
#include "hloir/analysis/communication.h"
#include "hloir/cost.h"
#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

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
  };
  // A computation, and how often it runs.
  struct Computation {
    const HloComputation* computation = nullptr;
    CallContext context = CallContext::kNone;
    double times = 0;  // that the entry runs it, as a step of control flow; 0: it does not
    Cost cost;         // of one run
  };
  // A top-level instruction that is not control flow: what calls others has no cost of its own.
  struct Step {
    const HloInstruction* instruction = nullptr;
    double times = 0;
    Cost cost;         // with what it calls: a fusion's is all of it
    Cost once;         // of one run, as XLA counts it
    double share = 0;  // of the module's operations, or of its bytes: the larger
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

}  // namespace hloir
#pragma GCC visibility pop
