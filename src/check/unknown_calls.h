// Custom-calls whose meaning is not known, in a pair of modules. They run as made-up functions of their operands
// (EvaluatorOptions::unknown_calls): that two modules agree does not depend on what they compute, and that they differ
// says something only if both call the same functions. Covered by tests/unit/unknown_calls_test.cc.
#pragma once

#include <string>

#include "hloir/module.h"

namespace hloir::check {

bool HasUnknownCalls(const HloModule& module);

// "2 custom-calls of unknown meaning (te_gelu, te_norm) ran as made-up functions of their operands"; "" if there are
// none.
std::string UnknownCallsNote(const HloModule& before, const HloModule& after);

// Why a difference of the two says nothing: "before calls te_gelu and after does not", or "with other options". "" if
// they call the same.
std::string UnknownCallsDifference(const HloModule& before, const HloModule& after, const std::string& before_name,
                                   const std::string& after_name);

}  // namespace hloir::check
