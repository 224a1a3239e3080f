// Do two modules mean the same? Their results may be apart by rounding; what they mean may not. So both are run in f64,
// where a difference of meaning stands out from rounding by a factor of 2^29, and compared element by element.
#pragma once

#include <memory>
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

// Which NaNs and infinities count that one of the two modules has alone.
enum class Nonfinite {
  kIgnored,
  kWorse,   // where `before` has a number and `after` has none, if f64 and the modules' own types say so
  kBoth,    // the other way too, on the same condition
  kAlways,  // whatever the modules' own types say
};

// Two modules, on one set of inputs after another. How it is decided: docs/accuracy.md. Both outlive it.
class MeaningComparer {
 public:
  MeaningComparer(Subject& before, Subject& after);
  ~MeaningComparer();
  // `notes`: with what is to be said of sets on which they agree.
  Meaning Compare(size_t set, Nonfinite nonfinite, bool notes = true);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// If rounding alone moves every leaf of `subject` in which `seen` does not agree as far as that, says so, with the name
// that messages call it by: the results of such a module are nothing but rounding there. Else "".
std::string MovedByRoundingAlone(Subject& subject, std::string_view name, size_t set, const Comparison& seen);

}  // namespace hloir::check
