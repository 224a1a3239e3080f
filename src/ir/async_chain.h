// Chains of async-start, async-update and async-done, for the engines: the computation of a link, and operands or
// results that are bound after the start (as in XLA since 2026). Chains through tuples, calls or loops are not
// followed. src/verifier/async.cc has the verifier's rules. Tests: tests/ops/async-late.hlo,
// tests/unit/async_forms_test.cc.
#pragma once

#include <vector>

#include "hloir/instruction.h"

namespace hloir {

// The async-start whose chain `link`, an async-update or async-done, continues; nullptr if the chain contains any other
// instruction.
const HloInstruction* AsyncStartOf(const HloInstruction& link);

// The async-done that ends the chain of `start`; nullptr if a link has users other than the next link.
const HloInstruction* AsyncDoneOf(const HloInstruction& start);

// True if `start` has fewer operands or results than its computation: its async-updates bind the others.
bool IsLateBound(const HloInstruction& start);

// The operands of all links of the chain that `done` ends: the arguments of the computation. Requires
// AsyncStartOf(done) != nullptr.
std::vector<const HloInstruction*> AsyncOperands(const HloInstruction& done);

}  // namespace hloir
