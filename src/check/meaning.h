// Do two modules mean the same? Their results may be apart by rounding; what they mean may not. So both are run in f64,
// where a difference of meaning stands out from rounding by a factor of 2^29, and compared element by element.
#pragma once

#include <string>
#include <vector>

#include "check/subject.h"

namespace hloir::check {

struct Meaning {
  bool judged = true;  // false: one of the two does not run in f64; see `notes`
  bool agree = true;
  Comparison comparison;  // of the results in f64, if they do not agree
  std::string reason;     // why they do not agree
  std::vector<std::string> notes;
};

// On one set of inputs. How it is decided: docs/accuracy.md. NaNs and infinities that one of the two has alone count if
// `nonfinite` says so.
Meaning CompareMeaning(Subject& before, Subject& after, size_t set, bool nonfinite);

// If rounding alone moves every leaf of `before` in which `seen` does not agree as far as that, says so: the results of
// such a module are nothing but rounding there. Else "".
std::string MovedByRoundingAlone(Subject& before, size_t set, const Comparison& seen);

}  // namespace hloir::check
