// See loop_work.h. Tests: tests/unit/limits_test.cc.
#include "reference/loop_work.h"

#include <algorithm>

#include "hloir/detail/cost_alone.h"

namespace hloir::reference {

int64_t ExtraSteps(const HloInstruction& instruction) {
  constexpr double kWorkOfAStep = 1024;
  constexpr double kMost = 0x1p40;  // the largest limit; the sum over a computation does not overflow
  const Cost cost = CostAlone(instruction);
  const double steps = (cost.flops + cost.transcendentals + cost.bytes) / kWorkOfAStep;
  return steps >= 1 ? static_cast<int64_t>(std::min(steps, kMost)) : 0;  // NaN, of an unknown size, is 0
}

}  // namespace hloir::reference
