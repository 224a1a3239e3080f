// A module as arrays of numbers, for models that learn from graphs: a node for each instruction, an edge for each use
// of a value, features for both. They are hloir.gym's observations; docs/gym.md documents the columns.
//
// Example:
//
//   ModuleArrays arrays;
//   arrays.Fill(module, CostAnalysis(module));
//   const size_t node = 3;
//   int64_t sum = 0;  // of the numbers of its operands
//   for (int32_t e = arrays.offsets[node]; e < arrays.offsets[node + 1]; ++e) sum +=
//   arrays.sources[static_cast<size_t>(e)];
//
// It reads the module, so each thread may fill its own. Tested by tests/unit/decisions_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hloir/cost.h"
#include "hloir/module.h"

namespace hloir {

// Compressed rows: edges offsets[k] to offsets[k + 1] are the dependences of node k.
struct ModuleArrays {
  // The columns of `features`. log: log2(1 + x), so that sizes of all magnitudes are comparable. Elements and bytes are
  // those of the result, summed over the arrays of a tuple; log_dim_0 is an array's last dimension, 0 if it has none;
  // FLOPs, transcendentals and bytes moved are CostAnalysis's for one run of the instruction with the computations it
  // calls.
  static constexpr std::array<std::string_view, 17> kFeatures = {
      "log_elements", "log_bytes",     "rank",      "log_dim_0", "log_dim_1",
      "log_dim_2",    "log_dim_3",     "is_tuple",  "is_root",   "in_entry",
      "in_fusion",    "log_operands",  "log_users", "log_flops", "log_transcendentals",
      "log_moved",    "is_elementwise"};
  // The kind of an edge. kOperand: `slot` is the operand's number; kCalled: from the root of a called computation
  // (`slot` is its number) to the node; kArgument: from a caller to a parameter; kControl: an order without a value.
  enum EdgeKind : int32_t { kOperand, kCalled, kArgument, kControl };
  static constexpr int32_t kEdgeKinds = 4;

  // A node for each instruction, computation by computation, in stored order.
  std::vector<const HloInstruction*> nodes;
  std::vector<int32_t> opcodes, element_types, computations;  // for each node: HloOpcode, PrimitiveType, computation id
  std::vector<float> features;                                // of each kFeatures.size()
  std::vector<int32_t> offsets;                               // nodes + 1
  std::vector<int32_t> sources, targets, kinds, slots;        // of each edge

  // `cost` is of this module, `costs` of each instruction, by id (Decisions::instruction_costs()). Replaces the
  // contents; reuses their memory.
  void Fill(const HloModule& module, const CostAnalysis& cost);
  void Fill(const HloModule& module, std::span<const CostResult> costs);
  int64_t node_count() const { return static_cast<int64_t>(nodes.size()); }
  int64_t edge_count() const { return static_cast<int64_t>(sources.size()); }
  // A node by its instruction's id; -1 for none.
  int32_t NodeOf(int32_t instruction_id) const {
    const size_t at = static_cast<size_t>(instruction_id);
    return instruction_id >= 0 && at < node_of_.size() ? node_of_[at] : -1;
  }

 private:
  void AddEdge(const HloInstruction& from, int32_t to, EdgeKind kind, int32_t slot);
  std::vector<int32_t> node_of_;  // by instruction id
};

}  // namespace hloir
