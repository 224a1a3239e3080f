// Judge(): two results agree if they differ by no more than their rounding errors. Used by check.cc and
// explanations.cc.
//
// In each leaf, the distance may be up to twice the sum of the two results' rounding errors, plus a few units in the
// last place. The error of a result is its distance from the same module's result in wider arithmetic. By the triangle
// inequality, modules that are the same function always pass, and other modules fail if they differ by more than they
// round. An error is that of a whole leaf: the largest distance of its elements. Integers and booleans that rounding
// has not changed must be equal. NaNs and infinities must be at the same indices.
#pragma once

#include "check/module_under_test.h"

namespace hloir::check {

// Compares the results of all devices. Each leaf may differ by `errors` plus the tolerance.
Comparison CompareOnAll(const Results& a, const Results& b, const Tolerance& tolerance, const Errors& errors);

// Compares results of two modules, or of one module by two engines. Rounding errors are measured only if a few units in
// the last place do not explain the difference. `meant`: the explained distance of each leaf's exact values, such as
// that of folded (and so rounded) constants.
Comparison Judge(const Results& a, ModuleUnderTest& of_a, const Results& b, ModuleUnderTest& of_b, size_t set,
                 bool exact, const Errors& meant = {});

}  // namespace hloir::check
