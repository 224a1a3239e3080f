// Pairs: how a module is evaluated in double-double. Its f64 arrays are c128 ones whose parts are the high and the low
// double of each number (MakePairModule in src/check/widen.cc), so that whatever moves elements needs to know nothing
// of them; what computes with them asks Evaluation::pairs(), and finds its kernels here. Ops without one say that they
// are not implemented. In: EvaluateInPairs (hloir/detail/widen.h). Tested by tests/unit/pairs_test.cc.
#pragma once

#include "hloir/instruction.h"
#include "wide/double_double.h"
#include "wide/kernel.h"

namespace hloir::reference {

// Of an elementwise op (compare and clamp too) whose operands are pairs; nullptr if it is none.
Kernel FindPairKernel(const HloInstruction& instruction);

// convert, from pairs or to them, which is to what type `from` or `to` stands for with c128.
Literal ConvertPairs(const Literal& operand, PrimitiveType to);
void ConvertPairElements(PrimitiveType from, const std::byte* in, PrimitiveType to, std::byte* out, int64_t count);

// Ops that have no meaning on pairs, or whose formulas are in double.
bool IsUnknownToPairs(const HloInstruction& instruction);

}  // namespace hloir::reference
