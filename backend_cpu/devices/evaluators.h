// The evaluators that the reference is behind. MakeReferenceEvaluator is in hloir/evaluator.h.
#pragma once

#include <memory>

#include "hloir/evaluator.h"
#include "reference/evaluation.h"

namespace hloir::reference {

// An evaluator for a caller that runs a module instruction by instruction: `random` goes on from one to the next, and
// must outlive it. So must `device`, if it is one of several; null: there is only one.
std::unique_ptr<HloEvaluator> MakeStepEvaluator(EvaluatorOptions options, RandomState* random, Device* device);

}  // namespace hloir::reference
