// Common parts of the two halves of the graph of alternatives: see rewrite/alternatives.h.
#pragma once

#include <span>
#include <vector>

#include "rewrite/alternatives.h"

namespace hloir {

// Writes the attributes that ChoicesOf reads.
void WriteChoices(HloInstruction& alternative, std::span<const AlternativeChoice> choices);
// The ids of computations unreachable from the entry.
std::vector<bool> UnreachedComputations(const HloModule& module);
// Removes computations that became unreachable: those not in `before`.
void RemoveUnreached(HloModule& module, const std::vector<bool>& before);
// Removes dead instructions, and then each operand that became dead.
void RemoveAllDead(std::vector<HloInstruction*> candidates);

}  // namespace hloir
