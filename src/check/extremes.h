// Extremes of number formats: the inputs and ops that reach them, and the differences that do not count there. Rows of
// explanations.cc use it.
#pragma once

#include <initializer_list>
#include <optional>

#include "check/module_under_test.h"

namespace hloir::check {

// Inputs made for coverage. Overflow does not count there, nor does a division by a sum that is 0 but for rounding.
bool IsForCoverage(InputKind kind);
// It has finite numbers so large that exponentials and long products of them may leave f64's range.
bool HasLargeNumbers(const InputSet& set);
int64_t CountOf(const HloModule& module, std::initializer_list<HloOpcode> opcodes);
bool HasAny(const HloModule& module, std::initializer_list<HloOpcode> opcodes);
// It has ops that can leave f64's range in one step.
bool MayLeaveF64(const HloModule& module);
// The inputs of a set with extremes replaced by plain numbers, as HLO does not specify what comes of them: whether a
// sum overflows that has the largest number in it depends on the order of adding and on the accumulator's type; some
// processors' dot instructions take denormals for zeros; products of complex numbers with infinite parts differ. Other
// NaNs and infinities stay. Nothing, if the inputs have no extremes by their kind.
std::optional<Context> WithoutExtremes(const Context& context, size_t set, const HloModule& module,
                                       bool all_finite = false);
// It has ops that are programs of their own, which may or may not add up 0 * NaN somewhere.
bool HasWholeArrayOps(const HloModule& module);
// It has ops whose result is undefined for some inputs: singular matrices, groups larger than the array.
bool IsUndefinedForSome(const HloModule& module);
// The ops of both modules that are undefined for some inputs are the same, and as many.
bool HaveSameSolvers(const HloModule& a, const HloModule& b);
// A sum that overflows on its way is an infinity or, where infinities cancel, NaN. Where the true sum is beyond the
// type, and neither engine has a finite one, `other` gets the reference's element.
void EqualizeOverflows(Literal& other, const Literal& reference, const Literal& ideal);
bool DiffersInNonfiniteAlone(const Comparison& comparison);
// True if an element is a number before and NaN after, on some device. The results have the same shapes.
bool LosesNumbers(const std::vector<Literal>& before, const std::vector<Literal>& after);

}  // namespace hloir::check
