// The accuracy of a module's result, element by element: its distance from the result in wide arithmetic, against what
// the module's own roundings, or another module's, explain.
#pragma once

#include <optional>
#include <string>

#include "check/module_under_test.h"

namespace hloir::check {

// An element that is farther from the result in wide arithmetic than roundings explain.
struct Inaccuracy {
  size_t leaf;
  int64_t index;
  std::string element;  // the index as text, "[1,2]"
  double value, ideal;  // computed in the leaf's type, and in wide arithmetic
  double times;         // how many times the explained distance
  std::string ToString(const ModuleUnderTest& subject) const;
};

// An element of the result on a set of inputs that is farther from the result in wide arithmetic than the module's
// roundings can move it: the engine computed it in a narrower type than the module says, or wrongly. None if the module
// does not run in wide arithmetic, and none in leaves that depend on discontinuous ops (comparisons, roundings to whole
// numbers, narrow types), which a rounding error may move by any amount.
std::optional<Inaccuracy> BeyondOwnRounding(ModuleUnderTest& subject, size_t set);

// Of two modules that are the same function of the real numbers: an element of the second's result that lost more
// digits than the roundings of the first explain, and more than the first lost. `digits`: how many decimal digits of
// that element are right in the first and in the second.
struct AccuracyLoss {
  Inaccuracy element;
  double first = 0;  // the first's value
  double digits[2] = {0, 0};
};
std::optional<AccuracyLoss> LosesMore(ModuleUnderTest& first, ModuleUnderTest& second, size_t set);

}  // namespace hloir::check
