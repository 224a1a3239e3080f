// How often computations run, by a choice of branches. Private to the analyses of cost.
// Tested by tests/unit/cost_test.cc and communication_test.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace hloir {

class HloModule;

// As ExecutionCounts; of a conditional only the branch that `branch` has for it, by instruction id (-1: all of them).
std::vector<double> CountExecutions(const HloModule& module, const std::vector<int32_t>& branch);

}  // namespace hloir
