// Finds the first diverging instructions of two modules that disagree.
#pragma once

#include <optional>
#include <utility>

#include "check/module_under_test.h"

namespace hloir::check {

// Runs both modules by the reference evaluator. Returns the first pair that differs and whose difference reaches the
// result; differences within rounding do not count. Returns nothing if all pairs agree, if the step or memory limits (a
// few hundred megabytes) are exceeded, or if neither names nor structure relate the modules (see divergence.cc).
// `known`: a pair that step tests have found to differ; the first is this or one that it is computed from.
std::optional<Divergence> FindDivergence(const HloModule& before, const HloModule& after, const Context& context,
                                         size_t set,
                                         std::pair<const HloInstruction*, const HloInstruction*> known = {});

}  // namespace hloir::check
