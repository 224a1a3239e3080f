// Chains of async-start, async-update and async-done, for the engines: the computation of a link, and operands or
// results that are bound after the start, as XLA allows since 2026. Where links are passed through tuples, calls or
// loops, the chain is not followed. src/verifier/async.cc has the verifier's rules. Tests: tests/ops/async-late.hlo,
// tests/unit/async_forms_test.cc.
#pragma once

#include <vector>

#include "hloir/instruction.h"

namespace hloir {

// The async-start whose chain `link`, an async-update or async-done, continues; nullptr if a link on the way takes
// something else than a link.
const HloInstruction* AsyncStartOf(const HloInstruction& link);

// The async-done that ends the chain of `start`; nullptr if anything but the next link takes one of its links.
const HloInstruction* AsyncDoneOf(const HloInstruction& start);

// True if `start` has fewer operands or results than its computation: the others come with its async-updates.
bool IsLateBound(const HloInstruction& start);

// The operands of all links of the chain that `done` ends, for the computation's parameters. AsyncStartOf(done) is
// known.
std::vector<const HloInstruction*> AsyncOperands(const HloInstruction& done);

}  // namespace hloir
