// How much the reference evaluator would have to do: WorkOf(), of the counts of hloir/cost.h. Rough, and the same on
// every machine, so that whether an engine is asked does not depend on the clock.
#include "check/module_under_test.h"

namespace hloir::check {

double WorkOf(const Cost& cost) {
  constexpr double kOfTranscendental = 8, kBytesAStep = 4;
  return cost.flops + kOfTranscendental * cost.transcendentals + cost.bytes / kBytesAStep;
}

double WorkOf(const CostAnalysis& costs, const HloInstruction& instruction) {
  // What it calls is counted as it runs.
  if (IsOneOf(instruction.opcode(), HloOpcode::kWhile, HloOpcode::kCall, HloOpcode::kFusion, HloOpcode::kConditional))
    return 0;
  return WorkOf(costs.Of(instruction).once);
}

}  // namespace hloir::check
