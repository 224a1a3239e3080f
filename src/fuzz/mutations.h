// The mutations of MakeMutant: the table of ways to make one instruction wrong, in three parts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fuzz/mutants.h"

namespace hloir::fuzz {

struct Mutation {
  MutantKind kind;
  // Makes the instruction wrong and returns true, or returns false and changes nothing. `seed` chooses details.
  std::function<bool(HloInstruction*, uint64_t seed)> apply;
};

// Other opcodes, operands and attributes.
void AddMutationsOfInstructions(std::vector<Mutation>& mutations);
// Other values: constants, factors, types, elements.
void AddMutationsOfValues(std::vector<Mutation>& mutations);
// Lowerings that are right for most values only.
void AddMutationsOfLowering(std::vector<Mutation>& mutations);

// All users take `to`, which is made from `i`.
bool Rewire(HloInstruction* i, HloInstruction* to);
// The value in every element of an array of this shape.
HloInstruction* Filled(HloComputation* computation, const Shape& shape, double value);

}  // namespace hloir::fuzz
