// Expressions over integers and predicates of one element, by which loops are counted (trip_count.cc): their form, and
// HLO's arithmetic on known integers, with wrap-around. Tested by tests/unit/trip_count_test.cc.
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
  Integer value = 0;  // of a constant; of a state the loop's frame
};

// The bounds of PRED (0 and 1) and of integer types.
Integer Lowest(PrimitiveType type);
Integer Highest(PrimitiveType type);
// As the type holds it, with wrap-around.
Integer Wrapped(PrimitiveType type, Integer value);
// An array of one element, PRED or an integer.
bool IsFollowed(const Shape& shape);
// Whether Apply knows the instruction's operation on its type.
bool IsOperation(const HloInstruction& i);
// An operation on known integers; nullopt for an opcode that is not followed.
std::optional<Integer> Apply(const Expression& e, Integer a, Integer b, Integer c);

}  // namespace hloir
