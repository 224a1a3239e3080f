// Where a module rounds: the instructions whose results are rounded, and the computations in which that can be changed.
#pragma once

#include <unordered_set>
#include <vector>

#include "hloir/cost.h"
#include "hloir/module.h"

namespace hloir::check {

// Returns whether the result is an array of floats or complex numbers that is rounded or approximated. Operations that
// select or move numbers do not round; reductions round if they add or multiply.
bool Rounds(const HloInstruction& instruction);

// The instructions that depend on constants alone, which a compiler may fold with different roundings.
std::unordered_set<const HloInstruction*> ComputedFromConstants(const HloModule& module);

// Returns whether wide arithmetic must keep the rounding of `i` from the type `from` to `type`. Roundings to f32 are
// kept only for conversions, since an f32 module may round anywhere.
bool RoundingHasMeaning(const HloInstruction& i, PrimitiveType type, PrimitiveType from);

// The number of terms per element of a sum, dot or convolution; 0 for others. `costs`: for its module.
double TermsOf(const HloInstruction& instruction, const CostAnalysis& costs);

// Returns whether the float type `to` represents all numbers of the float type `from`.
bool HoldsFloats(PrimitiveType to, PrimitiveType from);
// The type in which the value was computed, before instructions that only widen and move it.
PrimitiveType MadeIn(const HloInstruction& value);

// The entry and the computations that control flow, fusions and asynchronous operations call. Other computations run
// once for each element (reducers, comparators).
std::vector<HloComputation*> ComputationsThatRunOnce(HloModule& module);

}  // namespace hloir::check
