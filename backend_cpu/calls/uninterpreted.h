// Custom-calls with unknown semantics, run as uninterpreted functions of their operands
// (EvaluatorOptions::unknown_calls). Tested by tests/unit/unknown_calls_test.cc.
#pragma once

#include "reference/evaluation.h"

namespace hloir::reference {

// A value of the call's shape. Equal targets, configs, dimensions and operand values give equal results; element types
// of floats and layouts are ignored, so that a module in wider arithmetic calls the same function.
StatusOr<Value> EvaluateUninterpreted(EvalContext& context);

}  // namespace hloir::reference
