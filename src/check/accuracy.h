// The accuracy of a module's result: the distance of each element from the result in wide arithmetic, compared with the
// distance that the roundings of the module, or of another module, explain.
#pragma once

#include <optional>
#include <string>

#include "check/module_under_test.h"

namespace hloir::check {

struct ResultDifference;

// An element that is farther from the wide result than roundings explain.
struct Inaccuracy {
  size_t leaf;
  int64_t index;
  std::string element;  // the index as text, "[1,2]"
  double value, ideal;  // in the leaf's type, and in wide arithmetic
  double times;         // the distance relative to the explained distance
  std::string ToString(const ModuleUnderTest& subject) const;
};

// Finds an element whose distance from the wide result is more than the module's roundings explain: the engine computed
// it wrongly, or in a narrower type than the module states. Returns nothing if the module does not run in wide
// arithmetic, and ignores leaves that depend on discontinuous operations (comparisons, roundings to integers, narrow
// types), which a rounding error may change by any amount.
std::optional<Inaccuracy> BeyondOwnRounding(ModuleUnderTest& subject, size_t set);

// Given two modules that are the same function of real numbers, finds an element of the second's result that lost more
// digits than the roundings of the first explain, and more than the first lost. `digits`: the number of correct decimal
// digits of that element in the first and in the second result.
struct AccuracyLoss {
  Inaccuracy element;
  double first = 0;  // the first module's value
  double digits[2] = {0, 0};
  // "out0[3] is 1 in f64, …: 7.2 and 2.1 decimal digits are correct"
  std::string ToString(const ModuleUnderTest& subject) const;
};
std::optional<AccuracyLoss> LosesMore(ModuleUnderTest& first, ModuleUnderTest& second, size_t set);

// Given two modules whose results differ in `seen`, in roundings alone: how many digits the second result lost, of the
// element that lost most, relative to its leaf; empty if it lost none. Returns nothing if such a leaf has integers,
// which have no digits to lose; or, unless a narrower range may leave none (`may_overflow`), if an element is no longer
// finite or has no right digit.
std::optional<std::string> LossOf(const ResultDifference& difference, bool may_overflow);

}  // namespace hloir::check
