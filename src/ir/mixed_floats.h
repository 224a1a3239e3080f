// Legalization of mixed precision. HLO allows different float types in one instruction, as in add(bf16, f32), a slice
// of f16 with a result of f32, or a reduce of bf16 whose computation takes f32. Legalization inserts the implied
// converts once, at the entry to a pipeline of passes (src/rewrite), the compiled engine (backend_cpu/plan) and the
// reference evaluator; code behind these entries assumes no mixed floats. Leaves alone: ops that state the types of
// operands and result separately (convert, dot, convolution, custom calls, …), sort and scan. Tests:
// tests/ops/mixed-precision*.hlo, tests/passes/algebraic-simplifier/mixed-floats-*.hlo.
#pragma once

#include <memory>

#include "hloir/module.h"

namespace hloir {

// True if `instruction` needs converts. Data movement converts its operands to the type of the result; other
// elementwise ops compute in the widest type of their operands; an op that applies a computation to elements converts
// its operands to the types of that computation's parameters. The result is converted to the type that the instruction
// states.
bool MixesFloats(const HloInstruction& instruction);

// Inserts these converts; returns true if there were any. Bodies of async-starts are left unchanged.
bool LegalizeMixedFloats(HloModule& module);

// A module that computes such an instruction with converts; its parameters are the operands.
std::unique_ptr<HloModule> LegalizedMixedFloats(const HloInstruction& instruction);

}  // namespace hloir
