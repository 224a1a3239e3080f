// Mixed precision: HLO lets the floats of an instruction differ in type where one type is meant, as in add(bf16, f32),
// a slice of f16 that gives f32, or a reduce whose computation takes another type than it is given. Such instructions
// are legalized by writing the converts that they imply, once, where a module enters a pipeline of passes
// (src/rewrite), the compiled engine (backend_cpu/plan) and the reference evaluator; nothing behind these entries knows
// of mixed floats. Leaves alone: ops that state the types of operands and result separately (convert, dot, convolution,
// custom calls, …), sort and scan. Tests: tests/ops/mixed-precision*.hlo,
// tests/passes/algebraic-simplifier/mixed-floats-*.hlo.
#pragma once

#include <memory>

#include "hloir/module.h"

#pragma GCC visibility push(default)

namespace hloir {

// True if `instruction` needs converts. Data movement converts its operands to the type of the result; other
// elementwise ops compute in the widest type of their operands; an op that applies a computation to elements converts
// its operands to the types of that computation's parameters. The result is converted to the type that the instruction
// states.
bool MixesFloats(const HloInstruction& instruction);

// Writes these converts; true if there was anything to write. Bodies of async-starts stay as they are.
bool LegalizeMixedFloats(HloModule& module);

// For an instruction that mixes floats: a module that computes it from its operands, one parameter each, with converts.
std::unique_ptr<HloModule> LegalizedMixedFloats(const HloInstruction& instruction);

}  // namespace hloir

#pragma GCC visibility pop
