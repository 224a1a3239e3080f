// Pairs: the evaluation of a module in double-double. Its f64 arrays are c128 ones whose parts are the high and the low
// double of each number (MakePairModule in src/check/widen.cc), so that data movement works unchanged; arithmetic ops
// test Evaluation::pairs() and have kernels here. Ops without one are Unimplemented. The entry point is EvaluateInPairs
// (evaluate_pairs.h). Tested by tests/unit/pairs_test.cc.
#pragma once

#include "hloir/instruction.h"
#include "wide/double_double.h"
#include "wide/kernel.h"

namespace hloir::reference {

// The kernel of an elementwise op (including compare and clamp) on pairs; nullptr if there is none.
Kernel FindPairKernel(const HloInstruction& instruction);

// convert from pairs or to them; c128 in `from` or `to` represents f64.
Literal ConvertPairs(const Literal& operand, PrimitiveType to);
void ConvertPairElements(PrimitiveType from, const std::byte* in, PrimitiveType to, std::byte* out, int64_t count);

// Ops undefined on pairs, or whose formulas are in double.
bool IsUnknownToPairs(const HloInstruction& instruction);

}  // namespace hloir::reference
