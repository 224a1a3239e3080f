// Constructors of reference evaluators. MakeReferenceEvaluator is in hloir/evaluator.h.
#pragma once

#include <memory>

#include "hloir/evaluator.h"
#include "reference/evaluation.h"

namespace hloir::reference {

// An evaluator for running a module instruction by instruction: `random` is the generator's state and must outlive it,
// as must `device`, which is null for a single device.
std::unique_ptr<HloEvaluator> MakeStepEvaluator(EvaluatorOptions options, RandomState* random, Device* device);

}  // namespace hloir::reference
