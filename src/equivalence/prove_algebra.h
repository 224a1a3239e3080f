// Questions about terms that several files of the exact prover ask. See prove_terms.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "equivalence/prove_terms.h"

namespace hloir::equivalence {

inline constexpr size_t kMostMonomials = 64, kMostFactors = 8;

uint64_t MaskOf(PrimitiveType type);  // ones in the width of the type
bool IsReal(PrimitiveType type);      // an integer, a float or a predicate
bool IsOp(const Term* t, HloOpcode opcode);
// These terms and all below them, operands first.
std::vector<const Term*> PartsOf(std::vector<const Term*> parts);
inline std::vector<const Term*> PartsOf(const Term* t) { return PartsOf(std::vector{t}); }
// The scalar constant of which `t` is a splat, or null.
const Term* SplatBase(const Term* t);
std::optional<double> SplatNumber(const Term* t);
// The condition that `t` converts to a number, or null.
const Term* ConditionOf(const Term* t);
// Returns whether a condition is the xor of true and of other terms.
bool IsNegated(const Term* condition);
// Returns whether every element of a float term is +0, positive or NaN.
bool IsPositive(const Term* t, int depth = 0);

}  // namespace hloir::equivalence
