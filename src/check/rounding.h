// Where a module rounds: the instructions whose results are rounded, and the computations in which that can be changed.
#pragma once

#include <unordered_set>
#include <vector>

#include "hloir/cost.h"
#include "hloir/module.h"

namespace hloir::check {

// The instruction gives an array of floats or complex numbers that are rounded or approximated. Ops that choose among
// numbers, or move them, do not round; of reductions those do that add or multiply.
bool Rounds(const HloInstruction& instruction);

// The instructions that depend on constants alone, which a compiler may fold by steps that round alike.
std::unordered_set<const HloInstruction*> ComputedFromConstants(const HloModule& module);

// The rounding of `i` to the element type `type`, where its operand was of type `from`, is kept in wide arithmetic. A
// rounding to f32 is not, but for conversions: a module in f32 may round anywhere.
bool RoundingHasMeaning(const HloInstruction& i, PrimitiveType type, PrimitiveType from);

// The number of terms that each element of a sum, dot or convolution has; 0 for others. `costs`: of its module.
double TermsOf(const HloInstruction& instruction, const CostAnalysis& costs);

// Every number of the float type `from` is one of the float type `to`.
bool HoldsFloats(PrimitiveType to, PrimitiveType from);
// The type in which the value was computed, before instructions that only widen and move it.
PrimitiveType MadeIn(const HloInstruction& value);

// The entry and what control flow, fusions and asynchronous ops call. Others run once for each element (reducers,
// comparators).
std::vector<HloComputation*> ComputationsThatRunOnce(HloModule& module);

}  // namespace hloir::check
