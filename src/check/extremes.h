// What a verdict leaves out of account at the extremes of number formats, and the ops and inputs that lead there.
#pragma once

#include <initializer_list>
#include <optional>

#include "check/subject.h"

namespace hloir::check {

// Inputs made to reach something: what overflows there, or is divided by a sum that is 0 but for rounding, is no
// matter.
bool IsExtra(InputKind kind);
// Has it finite numbers from which on exponentials and long products may leave f64's range?
bool HasLargeNumbers(const InputSet& set);
int64_t CountOf(const HloModule& module, std::initializer_list<HloOpcode> opcodes);
bool HasAny(const HloModule& module, std::initializer_list<HloOpcode> opcodes);
// Ops by which a number is out of f64's range in one step.
bool MayLeaveF64(const HloModule& module);
// What HLO leaves open of corner cases: whether a sum overflows that has the largest number in it, which depends on the
// order of adding and on what it is added up in; whether denormals count as zero, as some processors' dot instructions
// have it; and what products of complex numbers with infinite parts are. So this is the check with such numbers
// replaced; other NaNs and infinities stay. Nothing, if the inputs are not corner cases.
std::optional<Context> WithoutExtremes(const Context& context, size_t set, const HloModule& module,
                                       bool all_finite = false);
// Ops that are programs of their own: whether 0 * NaN is added up somewhere is left to how they are computed.
bool HasWholeArrayMathematics(const HloModule& module);
// Are there inputs for which nothing is defined: singular matrices, groups that are larger than what is grouped?
bool IsUndefinedForSome(const HloModule& module);
// Are ops that are undefined for some inputs the same ones in both, as often?
bool SolveAlike(const HloModule& a, const HloModule& b);
// A sum that runs over on its way is an infinity or, of infinities that cancel, NaN. Where the true number is beyond
// the type, and neither engine has a finite one, `other` gets what the reference has.
void EqualizeOverflows(Literal& other, const Literal& reference, const Literal& ideal);
bool DiffersInNonfiniteAlone(const Comparison& comparison);

}  // namespace hloir::check
