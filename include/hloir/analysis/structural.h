// Structure: what a module, computation or instruction computes, apart from names, ids, metadata and stored order.
// Equal structures have equal hashes. CSE, the corpus's deduplication, and the pipeline's check of
// what a pass reports as changed use it.
//
// Threads: may be called from any thread while none edits the module.
#pragma once

#include <cstdint>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// Parameters by number, attributes by value, called computations by their structure. Shardings, frontend attributes and
// backend configs count; metadata does not.
uint64_t StructuralHash(const HloModule& module);
uint64_t StructuralHash(const HloComputation& computation);
// The instruction alone: opcode, shape, attributes and annotations, without operands and called computations.
uint64_t StructuralHash(const HloInstruction& instruction);
// `hash` with one more word in it: for a key of an instruction and its operands' ids.
uint64_t MixHash(uint64_t hash, uint64_t word);

bool StructurallyEqual(const HloComputation& a, const HloComputation& b);
// The instructions alone: everything but operands, called computations, control edges and metadata. With `same_layout`
// false, shapes need only be compatible.
bool StructurallyEqual(const HloInstruction& a, const HloInstruction& b, bool same_layout = true);
// The attributes alone, of instructions of one opcode.
bool EqualAttributes(const HloInstruction& a, const HloInstruction& b);

}  // namespace hloir
#pragma GCC visibility pop
