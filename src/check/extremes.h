// Extremes of number formats: inputs and operations that reach them, and differences that are legal there. Used by rows
// of explanations.cc.
#pragma once

#include <initializer_list>
#include <optional>

#include "check/module_under_test.h"

namespace hloir::check {

// Returns whether the inputs are made for coverage. Overflow on such inputs does not count, nor does a division by a
// sum whose exact value is 0.
bool IsForCoverage(InputKind kind);
// Returns whether some finite number is so large that its exponential or a long product may exceed f64's range.
bool HasLargeNumbers(const InputSet& set);
int64_t CountOf(const HloModule& module, std::initializer_list<HloOpcode> opcodes);
bool HasAny(const HloModule& module, std::initializer_list<HloOpcode> opcodes);
// Returns whether an operation can exceed f64's range in one step.
bool MayLeaveF64(const HloModule& module);
// Replaces the extremes in a set of inputs by ordinary numbers, since HLO does not specify their results: a sum with
// the largest number may overflow depending on the order and the accumulator's type; some processors' dot instructions
// flush denormals; products of complex numbers with infinite parts differ. Other NaNs and infinities stay. Returns
// nothing if inputs of this kind have no extremes.
std::optional<Context> WithoutExtremes(const Context& context, size_t set, const HloModule& module,
                                       bool all_finite = false);
// Returns whether the module has operations with algorithms of their own, which may or may not compute 0 * NaN.
bool HasWholeArrayOps(const HloModule& module);
// Returns whether the module has operations that are undefined for some inputs: singular matrices, groups larger than
// the array.
bool IsUndefinedForSome(const HloModule& module);
// Returns whether both modules have the same number of the same such operations.
bool HaveSameSolvers(const HloModule& a, const HloModule& b);
bool DiffersInNonfiniteAlone(const Comparison& comparison);
// Returns whether some element is a number before and NaN after, on some device. The results must have the same shapes.
bool LosesNumbers(const std::vector<Literal>& before, const std::vector<Literal>& after);

}  // namespace hloir::check
