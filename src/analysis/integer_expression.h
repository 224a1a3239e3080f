// Expressions over integers and predicates of one element, for counting loops (trip_count.cc), and HLO's arithmetic on
// known integers, with wrap-around. Tested by tests/unit/trip_count_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "hloir/instruction.h"

namespace hloir {

using Integer = __int128;

// A value of one element, PRED or an integer. Its operands have smaller numbers.
struct Expression {
  enum class Kind : uint8_t { kUnknown, kConstant, kState, kOperation };
  Kind kind = Kind::kUnknown;
  HloOpcode opcode = HloOpcode::kAdd;
  ComparisonDirection direction = ComparisonDirection::kEq;
  PrimitiveType type = PrimitiveType::S32;
  int operands[3] = {-1, -1, -1};
  Integer value = 0;  // the value of a constant; the loop's frame of a state
};

// The bounds of PRED (0 and 1) and of integer types.
Integer Lowest(PrimitiveType type);
Integer Highest(PrimitiveType type);
// Wraps the value around to the type.
Integer Wrapped(PrimitiveType type, Integer value);
// An array of one element, PRED or an integer.
bool IsFollowed(const Shape& shape);
// True if Apply implements the instruction's operation on its type.
bool IsOperation(const HloInstruction& i);
// An operation on known integers; nullopt for an unsupported opcode.
std::optional<Integer> Apply(const Expression& e, Integer a, Integer b, Integer c);

}  // namespace hloir
