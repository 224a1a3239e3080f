// What follows from a module's graph without running it: structural equality and hashes, reachability, the call graph,
// while loops, and where values would lie in memory. What a module costs is cost.h. Each part says below how it is
// used.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hloir/computation.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Structure: what a module, computation or instruction computes, apart from names, ids, metadata and stored order.
// Equal structures have equal hashes. CSE, the corpus's deduplication, and the pipeline's check of
// what a pass reports as changed use it.
//
// Threads: may be called from any thread while none edits the module.

// Parameters by number, attributes by value, called computations by their structure. Shardings, frontend attributes and
// backend configs count; metadata does not.
uint64_t StructuralHash(const HloModule& module);
// `hash` with one more word in it: for a key of an instruction and its operands' ids.
uint64_t MixHash(uint64_t hash, uint64_t word);
uint64_t StructuralHash(const HloComputation& computation);
// The instruction alone: opcode, shape, attributes and annotations, without operands and called computations.
uint64_t StructuralHash(const HloInstruction& instruction);

bool StructurallyEqual(const HloComputation& a, const HloComputation& b);
// The instructions alone: everything but operands, called computations, control edges and metadata. With `same_layout`
// false, shapes need only be compatible.
bool StructurallyEqual(const HloInstruction& a, const HloInstruction& b, bool same_layout = true);
// The attributes alone, of instructions of one opcode.
bool EqualAttributes(const HloInstruction& a, const HloInstruction& b);

// Reachability: which instruction of a computation must come before which, by operands and control edges. The table
// answers in constant time and is a picture of the computation as it was when it was made; DependsOn()
// (computation.h) asks the graph itself, for a question or two. The order itself, operands first:
// HloComputation::PostOrder().
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
// Threads: may be made and asked from any thread while none edits the module.

// Which instructions of a computation depend on which.
class Reachability {
 public:
  // n instructions take n²/8 bytes; more than `max_bytes` are ResourceExhausted.
  static StatusOr<Reachability> Make(const HloComputation& computation, int64_t max_bytes = int64_t{1} << 30);

  // A path leads from `from` to `to`; each instruction reaches itself. Instructions added since then reach nothing.
  bool IsReachable(const HloInstruction& from, const HloInstruction& to) const;
  // One of the two must wait for the other.
  bool AreConnected(const HloInstruction& a, const HloInstruction& b) const {
    return IsReachable(a, b) || IsReachable(b, a);
  }

 private:
  Reachability() = default;
  int64_t PositionOf(const HloInstruction& instruction) const;

  int32_t first_id_ = 0;
  std::vector<int32_t> position_;  // in post-order, by id() - first_id_; -1: not of this computation
  size_t row_words_ = 0;
  std::vector<uint64_t> bits_;  // row i: what reaches the instruction at position i
};

// CallGraph: which computation calls which, by what instructions, and whether a call is a step of control flow (call,
// while, conditional, async-start) or embedded in an op (a reduction's body, a fusion). It is a picture of the module
// as it was when it was made. The order of computations, callees first: HloModule::PostOrder().
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

// How a computation is entered. kNone: nothing reaches it from the entry.
enum class CallContext : uint8_t { kNone, kControlFlow, kEmbedded, kBoth };

// Who calls whom in a module, and in which context. Valid until the module is edited.
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

  // Every chain of calls from the entry to `b` goes through `a`. A computation dominates itself.
  bool Dominates(const HloComputation& a, const HloComputation& b) const;
  // The instruction is in `computation`, or in what that calls, at whatever depth and by whatever path.
  bool IsNestedIn(const HloInstruction& instruction, const HloComputation& computation) const;

 private:
  const HloComputation* entry_;
  std::vector<Node> nodes_;  // by computation's id()
};

// While loops over tuples: which element is carried how, and how often the body runs. Any thread may ask, while none
// edits the module. Tested by tests/unit/cost_test.cc and by the passes on loops.

// A while that carries a tuple, which condition and body read by get-tuple-element alone and the body makes anew;
// without control dependencies, shardings and frontend attributes on its parts. The functions below require such a
// loop, but for FindLoopCounter, which finds nothing in any other.
bool IsTupleLoop(const HloInstruction& loop);
// The same, and what comes out is read by get-tuple-element alone.
bool IsTupleLoopReadByElement(const HloInstruction& loop);

// What the loop begins with at `element`; nullptr where its operand is not a tuple instruction.
template <class I>
I* InitialValue(I& loop, int64_t element) {
  I* init = loop.operand(0);
  return init->opcode() == HloOpcode::kTuple ? init->operand(element) : nullptr;
}
// What the body makes of `element`.
template <class I>
I* NextValue(I& loop, int64_t element) {
  return loop.while_body()->root()->operand(element);
}
// The body hands `element` on as it is.
bool IsPassedThrough(const HloInstruction& loop, int64_t element);
// The element that an instruction of body or condition reads from the parameter; -1 if it is no such read.
int64_t ElementRead(const HloInstruction& instruction);

// for (i = start; …; i += step): an integer element that the condition compares with a constant.
struct LoopCounter {
  int64_t element = 0;
  int64_t start = 0, step = 0;
  int64_t trips = 0;  // how often the body runs
};
// nullopt: no such counter, or it would wrap around on the way.
std::optional<LoopCounter> FindLoopCounter(const HloInstruction& loop);
// Start and step of an element that the body adds a constant to; trips are not known from it.
std::optional<LoopCounter> StepsOf(const HloInstruction& loop, int64_t element);

// Buffer assignment: where in memory each value of a module would lie if its instructions ran one after the other, and
// how much memory that takes. The order is the schedule's, or without one that of printing. A plan on paper: the engine
// of executable.h makes its own, for the steps that it really takes.
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

// Where each value of a module lies in memory, and how much that takes.
struct BufferAssignment {
  // One array that an instruction makes: a leaf of its shape. What only points to others' memory (tuple,
  // get-tuple-element, bitcast, …) makes none.
  struct Value {
    const HloInstruction* instruction = nullptr;
    ShapeIndex index;
    int64_t bytes = 0;
    // Needed from step to step, both included. Steps count the instructions of the computation in their order.
    int64_t first = 0, last = 0;
    int64_t offset = -1;  // in the computation's heap; -1: it lies where `shares` or the caller says
    // The value that it overwrites: an operand that nobody needs any more, or what a loop carried into the round.
    int64_t shares = -1;      // an index into `values`
    bool is_result = false;   // the caller's, in all computations but the entry
    bool is_scratch = false;  // what the computations that the instruction calls need while they run
    // False: it lies in memory that the caller has: a called computation's result, a donated parameter
    // (input_output_alias), or what is written over that.
    bool in_heap = true;
  };
  // The memory of one computation.
  struct Computation {
    const HloComputation* computation = nullptr;
    std::vector<Value> values;
    int64_t heap_bytes = 0;      // with every value at its offset
    int64_t peak_bytes = 0;      // the most that is in use at any step: no plan needs less, in this order
    int64_t unshared_bytes = 0;  // if nothing were reused
    const HloInstruction* peak = nullptr;
    std::vector<int64_t> live_at_peak;  // indices into `values`, the largest first
  };
  int64_t parameter_bytes = 0, constant_bytes = 0;  // of the entry; constants of all computations
  bool is_unknown = false;                          // an array has an unbounded dimension, and is counted as nothing
  std::vector<Computation> computations;            // those that run as code, callees first, the entry last
  const Computation& of(const HloComputation& computation) const;
};

// Without offsets, which take most of the time: what is alive when, and a heap is as large as its peak.
BufferAssignment AssignBuffers(const HloModule& module, bool with_offsets = true);

}  // namespace hloir
#pragma GCC visibility pop
