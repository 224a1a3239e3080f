// Analyses of a module's graph without a run: structural equality and hashes, reachability, the call graph, while
// loops, buffer assignment. The cost model is cost.h. Each section below shows its use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hloir/computation.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Structure: equality and hashes of modules, computations and instructions that ignore names, ids, metadata and stored
// order. Equal structures have equal hashes. CSE, the corpus's deduplication, and the pipeline's check of a pass's
// `changed` use them.
//
// Threads: may be called from any thread while none edits the module.

// Parameters by number, attributes by value, called computations by their structure. Shardings, frontend attributes and
// backend configs count; metadata does not.
uint64_t StructuralHash(const HloModule& module);
// Combines `hash` with another word, for a key made of an instruction and its operands' ids.
uint64_t MixHash(uint64_t hash, uint64_t word);
uint64_t StructuralHash(const HloComputation& computation);
// Hashes one instruction: opcode, shape, attributes and annotations, without operands and called computations.
uint64_t StructuralHash(const HloInstruction& instruction);

bool StructurallyEqual(const HloComputation& a, const HloComputation& b);
// Compares two instructions by everything but operands, called computations, control edges and metadata. With
// `same_layout` false, shapes need only be compatible.
bool StructurallyEqual(const HloInstruction& a, const HloInstruction& b, bool same_layout = true);
// The attributes alone, of instructions of one opcode.
bool EqualAttributes(const HloInstruction& a, const HloInstruction& b);

// Reachability: the order that operands and control edges impose on the instructions of a computation. A query takes
// constant time; the table is not updated when the computation is edited. DependsOn() (computation.h) searches the
// graph, which is cheaper for one or two queries. HloComputation::PostOrder() is an order, operands first.
//
// Example:
//
//   const HloComputation& computation = *module.entry_computation();
//   StatusOr<Reachability> table = Reachability::Make(computation);
//   if (!table.ok()) return;  // the computation is too large for a table
//   for (const HloInstruction* i : computation.PostOrder()) {
//     if (!table->AreConnected(*i, *computation.root())) continue;  // may run beside the root
//   }
//
// Tested by tests/unit/analysis_test.cc.
//
// Threads: may be made and queried from any thread while none edits the module.

// The transitive dependences among the instructions of a computation.
class Reachability {
 public:
  // n instructions take n²/8 bytes; more than `max_bytes` are ResourceExhausted.
  static StatusOr<Reachability> Make(const HloComputation& computation, int64_t max_bytes = int64_t{1} << 30);

  // True if a path leads from `from` to `to`; each instruction reaches itself. Instructions that were added later reach
  // nothing.
  bool IsReachable(const HloInstruction& from, const HloInstruction& to) const;
  // True if one of the two must wait for the other.
  bool AreConnected(const HloInstruction& a, const HloInstruction& b) const {
    return IsReachable(a, b) || IsReachable(b, a);
  }

 private:
  Reachability() = default;
  int64_t PositionOf(const HloInstruction& instruction) const;

  int32_t first_id_ = 0;
  std::vector<int32_t> position_;  // in post-order, by id() - first_id_; -1: not of this computation
  size_t row_words_ = 0;
  std::vector<uint64_t> bits_;  // row i: the instructions that reach the one at position i
};

// CallGraph: callers, callees and call sites of each computation, and the context of each call: control flow (call,
// while, conditional, async-start) or embedded in an op (a reduction's body, a fusion). It is not updated when the
// module is edited. HloModule::PostOrder() is an order of the computations, callees first.
//
// Example:
//
//   const CallGraph graph(module);
//   for (const HloComputation* computation : module.PostOrder()) {
//     const CallGraph::Node& node = graph.node(*computation);
//     if (node.context == CallContext::kEmbedded) continue;  // runs as a part of one instruction
//     for (const HloInstruction* site : node.call_sites) (void)site->called_computations();
//   }
//
// Tested by tests/unit/analysis_test.cc.
//
// Threads: may be made and asked from any thread while none edits the module.

// The context of a computation. kNone: the entry does not reach it.
enum class CallContext : uint8_t { kNone, kControlFlow, kEmbedded, kBoth };

// The call graph of a module. Valid until the module is edited.
class CallGraph {
 public:
  // A computation and its callers.
  struct Node {
    const HloComputation* computation = nullptr;
    std::vector<const HloInstruction*> call_sites;        // its instructions that call, in stored order
    std::vector<const HloInstruction*> caller_sites;      // the instructions that call it
    std::vector<const HloComputation*> callees, callers;  // each once, in the order of the sites
    CallContext context = CallContext::kNone;
    int64_t depth = 0;  // of the longest chain of calls from the entry
  };

  explicit CallGraph(const HloModule& module);
  const Node& node(const HloComputation& computation) const { return nodes_[computation.id()]; }

  // Returns true if every call chain from the entry to `b` goes through `a`. A computation dominates itself.
  bool Dominates(const HloComputation& a, const HloComputation& b) const;
  // True if the instruction is in `computation` or in a computation that it calls, directly or through others.
  bool IsNestedIn(const HloInstruction& instruction, const HloComputation& computation) const;

 private:
  const HloComputation* entry_;
  std::vector<Node> nodes_;  // by computation's id()
};

// While loops over tuples: loop-carried elements and trip counts. Any thread may call these while none edits the
// module. Tested by tests/unit/cost_test.cc and by the passes on loops.

// Returns true for a while loop over a tuple with these properties: condition and body read the tuple's elements by
// get-tuple-element only, the root of the body is a tuple instruction, and none of these instructions has control
// dependencies, a sharding or frontend attributes. The functions below require such a loop; FindLoopCounter returns
// nullopt for any other.
bool IsTupleLoop(const HloInstruction& loop);
// The same, and all users of the loop are get-tuple-elements.
bool IsTupleLoopReadByElement(const HloInstruction& loop);

// The initial value of `element`; nullptr if the loop's operand is not a tuple instruction.
template <class I>
I* InitialValue(I& loop, int64_t element) {
  I* init = loop.operand(0);
  return init->opcode() == HloOpcode::kTuple ? init->operand(element) : nullptr;
}
// The value of `element` after one iteration: an operand of the body's root.
template <class I>
I* NextValue(I& loop, int64_t element) {
  return loop.while_body()->root()->operand(element);
}
// True if the body returns `element` unchanged.
bool IsPassedThrough(const HloInstruction& loop, int64_t element);
// The element that an instruction of body or condition reads from the parameter; -1 if the instruction does not read
// one.
int64_t ElementRead(const HloInstruction& instruction);

// for (i = start; …; i += step): an integer element that the condition compares with a constant.
struct LoopCounter {
  int64_t element = 0;
  int64_t start = 0, step = 0;
  int64_t trips = 0;  // the trip count
};
// nullopt: the loop has no such counter, or the counter would wrap around.
std::optional<LoopCounter> FindLoopCounter(const HloInstruction& loop);
// Start and step of an element to which the body adds a constant. Does not determine the trip count.
std::optional<LoopCounter> StepsOf(const HloInstruction& loop, int64_t element);

// Buffer assignment: offsets of a module's values in memory for a sequential run, and the size of that memory. The
// order is the schedule, or without one the order of printing. The engine of executable.h does not use it; it plans
// memory for its own steps.
//
// Example:
//
//   BufferAssignment buffers = AssignBuffers(module);
//   const BufferAssignment::Computation& entry = buffers.of(*module.entry_computation());
//   int64_t memory = buffers.parameter_bytes + buffers.constant_bytes + entry.heap_bytes;
//
// Tested by tests/unit/buffer_assignment_test.cc.
//
// Threads: may be called from any thread while none edits the module; the result is a value.

// The offset of each value of a module, and the sizes of the memories.
struct BufferAssignment {
  // An array defined by an instruction: a leaf of its shape. Tuple, get-tuple-element, bitcast and other ops whose
  // result aliases their operands define none.
  struct Value {
    const HloInstruction* instruction = nullptr;
    ShapeIndex index;
    int64_t bytes = 0;
    // Live range in steps, both ends included. A step is an instruction of the computation in its order.
    int64_t first = 0, last = 0;
    int64_t offset = -1;  // in the computation's heap; -1: in the buffer of `shares`, or in the caller's
    // The value whose buffer it reuses: an operand without later uses, or a value that the loop carried into the
    // iteration.
    int64_t shares = -1;      // an index into `values`
    bool is_result = false;   // a buffer of the caller: in all computations but the entry
    bool is_scratch = false;  // memory of the computations that the instruction calls, while they run
    // False if the value lies in the caller's memory: the result of a called computation, a donated parameter
    // (input_output_alias), or a value that reuses the buffer of one of these.
    bool in_heap = true;
  };
  // The memory of one computation.
  struct Computation {
    const HloComputation* computation = nullptr;
    std::vector<Value> values;
    int64_t heap_bytes = 0;      // with every value at its offset
    int64_t peak_bytes = 0;      // the largest sum of live values: a lower bound for any plan in this order
    int64_t unshared_bytes = 0;  // if nothing were reused
    const HloInstruction* peak = nullptr;
    std::vector<int64_t> live_at_peak;  // indices into `values`, the largest first
  };
  int64_t parameter_bytes = 0, constant_bytes = 0;  // of the entry; constants of all computations
  bool is_unknown = false;                          // an array has an unbounded dimension; its size is counted as 0
  std::vector<Computation> computations;            // those that run as code, callees first, the entry last
  const Computation& of(const HloComputation& computation) const;
};

// Computes live ranges without offsets, which take most of the time. The size of a heap is then its peak.
BufferAssignment AssignBuffers(const HloModule& module, bool with_offsets = true);

}  // namespace hloir
#pragma GCC visibility pop
