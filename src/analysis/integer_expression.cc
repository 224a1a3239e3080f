// See integer_expression.h.
#include "analysis/integer_expression.h"

#include <algorithm>

namespace hloir {
namespace {

Integer Compare(ComparisonDirection direction, Integer a, Integer b) {
  using D = ComparisonDirection;
  switch (direction) {
    case D::kEq: return a == b;
    case D::kNe: return a != b;
    case D::kLt: return a < b;
    case D::kLe: return a <= b;
    case D::kGt: return a > b;
    case D::kGe: return a >= b;
  }
  __builtin_unreachable();
}
Integer Shift(HloOpcode opcode, PrimitiveType type, Integer a, Integer by) {
  const int bits = BitWidth(type);
  if (by < 0 || by >= bits) return opcode == HloOpcode::kShiftRightArithmetic && a < 0 ? -1 : 0;
  if (opcode == HloOpcode::kShiftLeft) return a * (Integer{1} << static_cast<int>(by));
  if (opcode == HloOpcode::kShiftRightLogical && a < 0) a += Integer{1} << bits;
  return a >> static_cast<int>(by);
}
// HLO's values of a division by zero: all bits set, and the dividend.
Integer Quotient(Integer a, Integer b) { return b == 0 ? -1 : a / b; }
Integer Remainder(Integer a, Integer b) { return b == 0 ? a : a % b; }

}  // namespace

Integer Lowest(PrimitiveType type) { return IsSigned(type) ? -(Integer{1} << (BitWidth(type) - 1)) : 0; }
Integer Highest(PrimitiveType type) {
  if (type == PrimitiveType::PRED) return 1;
  return (Integer{1} << (BitWidth(type) - IsSigned(type))) - 1;
}
Integer Wrapped(PrimitiveType type, Integer value) {
  if (type == PrimitiveType::PRED) return value != 0;
  const Integer range = Integer{1} << BitWidth(type);
  value %= range;
  if (value < Lowest(type)) value += range;
  if (value > Highest(type)) value -= range;
  return value;
}
bool IsFollowed(const Shape& shape) {
  if (!shape.IsEffectiveScalar() || !shape.IsStatic()) return false;
  return IsInteger(shape.element_type()) || shape.element_type() == PrimitiveType::PRED;
}

std::optional<Integer> Apply(const Expression& e, Integer a, Integer b, Integer c) {
  switch (e.opcode) {
    case HloOpcode::kAdd: return Wrapped(e.type, a + b);
    case HloOpcode::kSubtract: return Wrapped(e.type, a - b);
    case HloOpcode::kMultiply:  // the lower 128 bits; the type keeps the lowest
      return Wrapped(e.type,
                     static_cast<Integer>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)));
    case HloOpcode::kDivide: return Wrapped(e.type, Quotient(a, b));
    case HloOpcode::kRemainder: return Remainder(a, b);
    case HloOpcode::kMaximum: return std::max(a, b);
    case HloOpcode::kMinimum: return std::min(a, b);
    case HloOpcode::kAnd: return a & b;
    case HloOpcode::kOr: return a | b;
    case HloOpcode::kXor: return a ^ b;
    case HloOpcode::kNot: return e.type == PrimitiveType::PRED ? Integer{a == 0} : Wrapped(e.type, ~a);
    case HloOpcode::kNegate: return Wrapped(e.type, -a);
    case HloOpcode::kAbs: return Wrapped(e.type, a < 0 ? -a : a);
    case HloOpcode::kSign: return Integer{a > 0} - Integer{a < 0};
    case HloOpcode::kConvert: return Wrapped(e.type, a);
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical: return Wrapped(e.type, Shift(e.opcode, e.type, a, b));
    case HloOpcode::kCompare: return Compare(e.direction, a, b);
    case HloOpcode::kClamp: return std::min(std::max(b, a), c);
    case HloOpcode::kSelect: return a != 0 ? b : c;
    default: return std::nullopt;  // unknown
  }
}
bool IsOperation(const HloInstruction& i) {
  Expression e;
  e.opcode = i.opcode();
  if (i.shape().element_type() == PrimitiveType::PRED &&
      !IsOneOf(e.opcode, HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor, HloOpcode::kNot, HloOpcode::kCompare,
               HloOpcode::kSelect, HloOpcode::kConvert))
    return false;
  return Apply(e, 0, 0, 0).has_value();
}

}  // namespace hloir
