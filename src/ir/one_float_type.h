// MeansOneFloatType: for the reference, the compiled engine and the rules, which must know where HLO's mixed floats are
// converted without a convert. Tested by tests/ops/mixed-precision*.hlo.
#pragma once

#include "hloir/opcode.h"

namespace hloir {

// Are the floats that it takes and gives meant to be of one type? Elementwise operations and what moves elements, other
// than those that say themselves what they give.
constexpr bool MeansOneFloatType(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kConvert:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kBitcast:
    case HloOpcode::kStochasticConvert: return false;
    default: return HasTrait(opcode, kElementwise | kMovesData);
  }
}

}  // namespace hloir
