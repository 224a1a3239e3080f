// What the two halves of the graph of alternatives share: see rewrite/alternatives.h.
#pragma once

#include <span>
#include <vector>

#include "rewrite/alternatives.h"

namespace hloir {

// Into the attributes that ChoicesOf reads.
void WriteChoices(HloInstruction& alternative, std::span<const AlternativeChoice> choices);
// By id: the computations that nothing reaches from the entry.
std::vector<bool> UnreachedComputations(const HloModule& module);
// Removes those that nothing reaches and that were not so `before`.
void RemoveUnreached(HloModule& module, const std::vector<bool>& before);
// Removes those that are dead, and then each operand that is dead without them.
void RemoveAllDead(std::vector<HloInstruction*> candidates);

}  // namespace hloir
