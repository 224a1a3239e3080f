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
#pragma once

#include <cstdint>
#include <vector>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

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
  std::vector<Computation> computations;            // those that run as code, callees first, the entry last
  const Computation& of(const HloComputation& computation) const;
};

// Without offsets, which take most of the time: what is alive when, and a heap is as large as its peak.
BufferAssignment AssignBuffers(const HloModule& module, bool with_offsets = true);

}  // namespace hloir
#pragma GCC visibility pop
