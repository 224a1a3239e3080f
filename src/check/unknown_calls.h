// Custom-calls of unknown meaning in a pair of modules. They run as generated functions of their operands
// (EvaluatorOptions::unknown_calls): agreement does not depend on the functions, and a difference is evidence only if
// both modules call the same functions. Covered by tests/unit/unknown_calls_test.cc.
#pragma once

#include <string>

#include "hloir/module.h"

namespace hloir::check {

bool HasUnknownCalls(const HloModule& module);

// "custom-calls of unknown meaning ran as made-up functions of their operands: te_gelu, te_norm"; empty if there are
// none.
std::string UnknownCallsNote(const HloModule& before, const HloModule& after);

// Why a difference is no evidence: "before calls te_gelu and after does not", or "... with different options". Empty if
// both modules call the same functions.
std::string UnknownCallsDifference(const HloModule& before, const HloModule& after, const std::string& before_name,
                                   const std::string& after_name);

}  // namespace hloir::check
