// Graph: a computation made flat for planning. Calls and fusions are inlined, tuples are gone (every value is one
// array), and what only renames or rearranges elements is a view. While and conditional keep their bodies as graphs of
// their own. One way in: BuildGraph.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"
#include "kernels/kernel_table.h"
#include "plan/lower/view.h"

namespace hloir::cpu {

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

enum class ValueKind : uint8_t {
  kComputed,  // by a node
  kParameter,
  kConstant,
  kView,     // elements of `root`
  kNumbers,  // element = its place in `view`: iota and views of it
  kToken,    // nothing
  kHeld,     // a literal of its own, outside of the arena: of no fixed size
};

struct Value {
  ValueKind kind = ValueKind::kComputed;
  PrimitiveType type = PrimitiveType::INVALID;
  DimVector dims;
  int64_t count = 0;                            // elements
  ValueId root = kNoValue;                      // itself, except for views; kNoValue for kNumbers
  View view;                                    // of the root (row-major there), or of the natural numbers
  int32_t node = -1;                            // the producer of kComputed
  int32_t parameter = -1;                       // place among the graph's parameters
  const HloInstruction* instruction = nullptr;  // whose (first) result it is, for messages; the constant itself

  int64_t bytes() const { return count * StorageBytes(type); }
  Shape shape() const { return Shape::Array(type, dims); }
};

using ValueList = SmallVector<ValueId, 4>;
struct Graph;

struct Node {
  const HloInstruction* instruction = nullptr;
  ValueList inputs, outputs;
  bool is_copy = false;                        // of input 0's elements, in order, whatever the instruction is
  std::vector<std::unique_ptr<Graph>> graphs;  // while: condition, body; conditional: branches
  HloOpcode opcode() const { return instruction->opcode(); }
};

struct Graph {
  std::deque<Value> values;                          // deques: adding moves nothing
  std::deque<Node> nodes;                            // operands before users; none is dead
  ValueList parameters;                              // one a leaf of the computation's parameters
  ValueList results;                                 // one a leaf of its root
  std::vector<std::unique_ptr<HloModule>> expanded;  // of the outermost graph: what instructions were written out as

  // The value's elements lie in its root side by side, and are all of it.
  bool IsWhole(ValueId id) const {
    const Value& value = values[id];
    return value.kind != ValueKind::kNumbers && value.view.offset == 0 && value.count == values[value.root].count &&
           value.view.IsContiguous();
  }
  ValueId AddComputed(PrimitiveType type, const DimVector& dims, int32_t node, const HloInstruction* instruction);
  ValueId AddView(ValueId of, PrimitiveType type, View view, const HloInstruction* instruction);
};

// What cannot be written out here, such as a call that mixes precisions, becomes a node that the reference evaluates as
// a whole, and so does each op on arrays of dynamic sizes. Unimplemented, without harm, for what has no meaning as a
// node of its own: transfers in flight, values that are no arrays. ResourceExhausted for values over
// `options.max_bytes` and for calls that multiply beyond reason.
StatusOr<std::unique_ptr<Graph>> BuildGraph(const HloComputation& computation, const EvaluatorOptions& options,
                                            const HloEvaluator& evaluator, const KernelTable& kernels);

}  // namespace hloir::cpu
