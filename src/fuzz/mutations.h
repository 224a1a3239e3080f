// The mutations of MakeMutant: a table of faults in a single instruction, in three parts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fuzz/mutants.h"

namespace hloir::fuzz {

struct Mutation {
  MutantKind kind;
  // Introduces the fault and returns true, or returns false and changes nothing. `seed` chooses details.
  std::function<bool(HloInstruction*, uint64_t seed)> apply;
};

// Other opcodes, operands and attributes.
void AddMutationsOfInstructions(std::vector<Mutation>& mutations);
// Other values: constants, factors, types, elements.
void AddMutationsOfValues(std::vector<Mutation>& mutations);
// Lowerings that are wrong for some values.
void AddMutationsOfLowering(std::vector<Mutation>& mutations);

// Replaces all uses of `i` by `to`, which uses `i`.
bool Rewire(HloInstruction* i, HloInstruction* to);
// An array of this shape with the value in every element.
HloInstruction* Filled(HloComputation* computation, const Shape& shape, double value);

}  // namespace hloir::fuzz
