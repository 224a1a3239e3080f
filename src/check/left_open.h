// Does a difference lie in what HLO leaves open?
#pragma once

#include <string>

#include "check/subject.h"

namespace hloir::check {

// HLO leaves open which numbers rng gives: names one of the module's that `other`, which has fewer of them, may have
// written out, if each leaf that does not agree in `seen` depends on such a one.
//
// HLO leaves open in which order a reduce combines its elements, in which groups, and how often its initial value takes
// part. Names a reduction of the module on which what does not agree in `seen` depends in this way, on these inputs, by
// more than rounding; "" if there is none, or if that could not be found out within the limits of work. `result`: the
// one that is not the reference's, if any, which the order may explain where numbers run over on the way to it.
std::string LeftOpen(Subject& subject, const HloModule& other, size_t set, const Comparison& seen,
                     const Results* result = nullptr);

}  // namespace hloir::check
