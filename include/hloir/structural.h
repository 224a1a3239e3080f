// Structure: what a module, computation or instruction computes, apart from names, ids, metadata and stored order.
// Equal structures have equal hashes. By it CSE merges, the corpus drops duplicates, and a pipeline checks that a pass
// that says "changed nothing" did change nothing.
#pragma once

#include <cstdint>

#include "hloir/module.h"

namespace hloir {

// Parameters by number, attributes by value, called computations by their structure. Shardings, frontend attributes and
// backend configs count; metadata does not.
uint64_t StructuralHash(const HloModule& module);
uint64_t StructuralHash(const HloComputation& computation);
// Of the instruction alone: opcode, shape, attributes and annotations, without operands and called computations.
uint64_t StructuralHash(const HloInstruction& instruction);

bool StructurallyEqual(const HloComputation& a, const HloComputation& b);
// Of the instructions alone: all but operands, called computations, control edges and metadata. With `same_layout`
// false, shapes need only be compatible.
bool StructurallyEqual(const HloInstruction& a, const HloInstruction& b, bool same_layout = true);

}  // namespace hloir
