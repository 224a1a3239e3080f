// Whether two modules differ in denormals, or in signs of zeros or NaN, and in nothing else. XLA takes x + 0 for x, and
// on CPUs denormals for zeros; the sign of a NaN is the processor's choice. None of this is rounding, and none a
// difference of meaning.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "check/meaning.h"
#include "check/subject.h"

namespace hloir::check {

class TinyComparer {
 public:
  // Both outlive it.
  TinyComparer(const Subject& before, const Subject& after) : before_(before), after_(after) {}

  // What their results are apart by on one set of inputs without all this, if they agree then: by both engines, and in
  // what they mean.
  std::optional<Comparison> Agree(size_t set, Nonfinite nonfinite);

 private:
  // The two as FlushTiny has them.
  struct Flushed {
    Flushed(const Subject& a, const Subject& b, FlushMode mode);
    std::unique_ptr<HloModule> modules[2];
    Subject before, after;
    MeaningComparer meaning;
  };

  const Subject &before_, &after_;
  std::map<FlushMode, std::unique_ptr<Flushed>> flushed_;  // that have been asked for
};

}  // namespace hloir::check
