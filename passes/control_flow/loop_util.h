// While loops over tuples, taken apart: which element is carried how, how often the body runs, and adding and removing
// elements. What the loop passes share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hloir/module.h"

namespace hloir {

// A while that carries a tuple, which condition and body read by get-tuple-element alone and the body makes anew;
// without control dependencies, shardings and frontend attributes on its parts. The functions below ask for such a
// loop.
bool IsTupleLoop(const HloInstruction& loop);
// The same, and what comes out is read by get-tuple-element alone.
bool IsTupleLoopReadByElement(const HloInstruction& loop);

// What the loop begins with at `element`; nullptr where its operand is no tuple instruction.
HloInstruction* InitialValue(const HloInstruction& loop, int64_t element);
// What the body makes of `element`.
HloInstruction* NextValue(const HloInstruction& loop, int64_t element);
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

// A loop with computations of its own, so that they may be edited (OwnComputation).
void OwnLoopComputations(HloInstruction* loop);
// A new last element that begins as `initial` and is passed through; gives the body's read of it. The computations must
// be the loop's own.
HloInstruction* AddLoopElement(HloInstruction* loop, HloInstruction* initial);
// Removes elements that nobody reads, outside, in the condition, or in the body but for themselves (`keep` is false).
// The computations must be the loop's own, and the loop read by element.
void RemoveLoopElements(HloInstruction* loop, const std::vector<bool>& keep);

}  // namespace hloir
