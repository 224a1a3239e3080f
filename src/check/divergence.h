// Where two modules that disagree begin to differ.
#pragma once

#include <optional>
#include <utility>

#include "check/module_under_test.h"

namespace hloir::check {

// Both are run by the reference evaluator. The first pair that differs and after which no value on a way to the result
// agrees again; differences that rounding explains do not count. Nothing: all pairs agree,
// or nothing could be found within the limits of steps and of a few hundred megabytes, or neither the names nor the
// structure of the two modules have anything to do with each other (see divergence.cc). `known`: a pair that a
// test of steps has found to differ; the first is this or one that it is computed from.
std::optional<Divergence> FindDivergence(const HloModule& before, const HloModule& after, const Context& context,
                                         size_t set,
                                         std::pair<const HloInstruction*, const HloInstruction*> known = {});

}  // namespace hloir::check
