// Estimates the reference evaluator's work: WorkOf(), from the counts of hloir/cost.h. The estimate is the same on
// every machine, so that asking an engine does not depend on the clock.
#include "check/module_under_test.h"

namespace hloir::check {

double WorkOf(const Cost& cost) {
  constexpr double kOfTranscendental = 8, kBytesAStep = 4;
  return cost.flops + kOfTranscendental * cost.transcendentals + cost.bytes / kBytesAStep;
}

double WorkOf(const CostAnalysis& costs, const HloInstruction& instruction) {
  // The called computation's instructions are counted when they run.
  if (IsOneOf(instruction.opcode(), HloOpcode::kWhile, HloOpcode::kCall, HloOpcode::kFusion, HloOpcode::kConditional))
    return 0;
  return WorkOf(costs.Of(instruction).once);
}

}  // namespace hloir::check
