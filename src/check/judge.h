// Judge(): two results agree if they are apart by no more than both round. Used by check.cc and explanations.cc.
//
// Two results agree if, in each leaf, they are apart by no more than twice the rounding error that each has, added up,
// and a few units in the last place. The error of a result is its distance from the same module's result in wider
// arithmetic. By the triangle inequality, modules that are the same function always pass, and others fail as soon as
// they differ by more than they round. Errors are those of a whole leaf: the largest distance of any element.
// Integers and booleans that rounding has not moved must be equal. NaNs and infinities must be in the same places.
#pragma once

#include "check/module_under_test.h"

namespace hloir::check {

// All devices' results, of which each leaf may be apart by `errors` and the tolerance.
Comparison CompareOnAll(const Results& a, const Results& b, const Tolerance& tolerance, const Errors& errors);

// A result of one subject against one of another, or of the same by another engine. Rounding errors are measured only
// where a few units in the last place do not explain the difference. `meant`: how far each leaf is apart in what the
// two mean, where that is explained: by constants that one has folded, and so rounded.
Comparison Judge(const Results& a, ModuleUnderTest& of_a, const Results& b, ModuleUnderTest& of_b, size_t set,
                 bool exact, const Errors& meant = {});

}  // namespace hloir::check
