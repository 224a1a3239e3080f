// While loops over tuples: which element is carried how, and how often the body runs. Any thread may ask, while none
// edits the module. Tested by tests/unit/cost_test.cc and by the passes on loops.
#pragma once

#include <cstdint>
#include <optional>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

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

}  // namespace hloir
#pragma GCC visibility pop
