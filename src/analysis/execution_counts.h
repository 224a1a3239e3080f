// The numbers of executions of computations, for a choice of branches. Private to the analyses of cost. Tested by
// tests/unit/cost_test.cc and communication_test.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace hloir {

class HloModule;

// ExecutionCounts with only the branch branch[id] of each conditional (-1: all branches).
std::vector<double> CountExecutions(const HloModule& module, const std::vector<int32_t>& branch);

}  // namespace hloir
