// Where a module rounds: the instructions whose results are rounded, and the computations in which that can be changed.
#pragma once

#include <unordered_set>
#include <vector>

#include "hloir/cost.h"
#include "hloir/module.h"

namespace hloir::check {

// Is its result, an array of floats or complex numbers, rounded, or left to an approximation? Ops that choose among
// numbers, or move them, do not round; of reductions those do that add or multiply.
bool Rounds(const HloInstruction& instruction);

// What is computed from constants alone, and so may be folded: by steps that round as it does.
std::unordered_set<const HloInstruction*> ComputedFromConstants(const HloModule& module);

// Is what `i` rounds to, of an element type `type` when its operand was of type `from`, part of what it computes? To
// f32 itself nothing is, but for conversions: that is the rounding that a module in f32 may have anywhere.
bool RoundingHasMeaning(const HloInstruction& i, PrimitiveType type, PrimitiveType from);

// How many terms a sum or product of this instruction has; 0 if it has none. `costs`: of its module.
double TermsOf(const HloInstruction& instruction, const CostAnalysis& costs);

// Does every number of the float type `from` stand in the float type `to` as it is?
bool HoldsFloats(PrimitiveType to, PrimitiveType from);
// The type that the value's numbers were made in, if all that came after was to widen them and to move them about.
PrimitiveType MadeIn(const HloInstruction& value);

// The entry and what control flow, fusions and asynchronous ops call. Others run once for each element (reducers,
// comparators).
std::vector<HloComputation*> ComputationsThatRunOnce(HloModule& module);

}  // namespace hloir::check
