// Graph: a flattened computation for planning. Calls and fusions are inlined, there are no tuples (every value is one
// array), and ops that only rename or rearrange elements are views. The bodies of while and conditional are separate
// graphs. lower/ builds it; later stages only read it. This folder has the data structures shared by the stages, and
// includes none of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"
#include "plan/graph/stable_list.h"
#include "plan/graph/view.h"

namespace hloir::cpu {

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

enum class ValueKind : uint8_t {
  kComputed,  // by a node
  kParameter,
  kConstant,
  kView,     // elements of `root`
  kIota,     // element = its position in `view`: iota and views of it
  kToken,    // nothing
  kDynamic,  // a literal outside of the arena, whose size is only known at run time
};

struct GraphValue {
  ValueKind kind = ValueKind::kComputed;
  PrimitiveType type = PrimitiveType::INVALID;
  DimVector dims;
  int64_t count = 0;                            // elements
  ValueId root = kNoValue;                      // itself, except for views; kNoValue for kIota
  View view;                                    // of the root (row-major there), or of the natural numbers
  int32_t node = -1;                            // the producer of kComputed
  int32_t parameter = -1;                       // index among the graph's parameters
  const HloInstruction* instruction = nullptr;  // the instruction of which it is the (first) result, for messages; the
                                                // constant itself

  int64_t bytes() const { return count * StorageBytes(type); }
  Shape shape() const { return Shape::Array(type, dims); }
};

using ValueList = SmallVector<ValueId, 4>;
struct Graph;

// A reduction as kept × reduced × kept dimensions: the form that a fused loop can reduce.
struct ReduceShape {
  int64_t outer = 1, reduced = 1, inner = 1;
  bool operator==(const ReduceShape&) const = default;
};

// The way a node runs, determined when the graph is built: see capability/support.h.
struct Support {
  enum Kind : uint8_t {
    kLoop,           // a fused loop, as an elementwise operation
    kLoopReduction,  // a fused loop, as a reduction of `reduce`'s shape
    kStep,           // a separate step, if a maker of schedule/step_makers.cc accepts it
    kReference,      // the reference evaluator, for `reason`
  };
  Kind kind = kStep;
  ReduceShape reduce;
  std::string reason;  // a clause: "it has no kernel"
};

// Two products, the first of which computes an operand of the second, run block by block: see lower/row_blocks.h. The
// node is the second; its graph computes the operand's root from a block of the first's result and the node's further
// inputs.
struct RowBlocks {
  const HloInstruction* first = nullptr;  // its operands are the node's inputs 0 and 1, the second's other one input 2
  ValueId between = kNoValue;             // the second's operand that is computed block by block
  bool is_left = true;                    // which one that is
  int64_t count = 1;
  std::vector<std::vector<int64_t>> offsets;  // for further inputs: the offset of each block's part, in elements
};

struct Node {
  const HloInstruction* instruction = nullptr;
  ValueList inputs, outputs;
  bool is_copy = false;  // a copy of input 0's elements in order, instead of the instruction
  // The layout of the result, major to minor; empty: row-major. Set only for dots, convolutions and reduce-windows. For
  // other nodes the inputs are views in that order.
  DimVector order;
  std::vector<View> places;  // for a concatenation with halos, the offset of each input in the result: see
                             // lower/halos.h
  Support support;
  std::unique_ptr<RowBlocks> blocks;           // for a product that runs block by block
  std::vector<std::unique_ptr<Graph>> graphs;  // while: condition, body; conditional: branches; of blocks
  HloOpcode opcode() const { return instruction->opcode(); }
};

// Reasons for the orders of arrays: see lower/array_orders.h.
struct OrderReason {
  const HloInstruction* instruction = nullptr;  // the instruction of which it is the result, the first of several
  DimVector dims, order;                        // the layout, major to minor; empty: row-major
  bool moved = false;                           // some of them are not row-major
  std::string reason;
};

struct Graph {
  StableList<GraphValue> values;
  StableList<Node> nodes;  // operands before users; none is dead
  ValueList parameters;    // one per leaf of the computation's parameters
  ValueList results;       // one a leaf of its root
  std::vector<OrderReason> order_reasons;

  // True if the value is all elements of its root in order.
  bool IsWhole(ValueId id) const {
    const GraphValue& value = values[id];
    return value.kind != ValueKind::kIota && value.view.offset == 0 && value.count == values[value.root].count &&
           value.view.IsContiguous();
  }
  // The literal of a value that is one number of a constant, in the constant's type; else null.
  const Literal* NumberOf(ValueId id) const;
  ValueId AddComputed(PrimitiveType type, const DimVector& dims, int32_t node, const HloInstruction* instruction);
  ValueId AddView(ValueId of, PrimitiveType type, View view, const HloInstruction* instruction);
  void RemoveNodes(const std::vector<bool>& removed);  // by node; the others keep their order
};

}  // namespace hloir::cpu
