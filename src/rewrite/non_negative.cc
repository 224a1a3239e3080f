// IsNonNegative: an array whose definition excludes negative elements.
#include <cmath>

#include "hloir/rules.h"

namespace hloir::rules {
namespace {

constexpr int kDeepest = 6;            // the limit on the depth of the search
constexpr int64_t kMostElements = 64;  // of a constant

bool IsNonNegativeConstant(const Literal& literal) {
  const PrimitiveType type = literal.shape().element_type();
  if (literal.elided() || literal.element_count() > kMostElements || IsComplex(type)) return false;
  for (int64_t k = 0; k < literal.element_count(); ++k) {
    if (IsFloat(type) ? std::signbit(literal.GetAsDouble(k)) : literal.GetAsInt64(k) < 0) return false;
  }
  return true;
}

bool NonNegative(const HloInstruction* i, int depth) {
  const PrimitiveType type = i->shape().element_type();
  if (!i->shape().IsArray() || IsComplex(type) || depth > kDeepest) return false;
  if (IsUnsigned(type) || type == PrimitiveType::PRED) return true;
  const bool floating = IsFloat(type);
  auto operand = [&](int64_t k) { return NonNegative(i->operand(k), depth + 1); };
  switch (i->opcode()) {
    case HloOpcode::kConstant: return IsNonNegativeConstant(i->literal());
    case HloOpcode::kIota: {
      const int64_t size = i->shape().dimensions(i->attributes<IotaAttributes>().iota_dimension);
      return floating || BitWidth(type) >= 64 || size <= int64_t{1} << (BitWidth(type) - 1);
    }
    // The smallest integer has no absolute value.
    case HloOpcode::kAbs:
    case HloOpcode::kExp:
    case HloOpcode::kLogistic:
    case HloOpcode::kCosh: return floating;
    case HloOpcode::kPopulationCount:
    case HloOpcode::kClz: return BitWidth(type) >= 8;
    // Integers wrap around.
    case HloOpcode::kMultiply: return floating && (i->operand(0) == i->operand(1) || (operand(0) && operand(1)));
    case HloOpcode::kAdd:
    case HloOpcode::kDivide: return floating && operand(0) && operand(1);
    case HloOpcode::kPower: return floating && operand(0);
    case HloOpcode::kRemainder: return operand(0);
    case HloOpcode::kAnd: return operand(0) || operand(1);
    case HloOpcode::kOr:
    case HloOpcode::kXor:
    case HloOpcode::kMinimum: return operand(0) && operand(1);
    // The sign of max(-0, 0) is unspecified.
    case HloOpcode::kMaximum: return floating ? operand(0) && operand(1) : operand(0) || operand(1);
    case HloOpcode::kSelect: return operand(1) && operand(2);
    case HloOpcode::kClamp: return !floating && operand(0) && operand(2);
    case HloOpcode::kConvert: {
      const PrimitiveType from = i->operand(0)->shape().element_type();
      // A true pred in one signed bit is -1.
      if (from == PrimitiveType::PRED) return BitWidth(type) > 1;
      if (IsFloat(from)) return floating && operand(0);
      const bool fits =
          floating || BitWidth(type) > BitWidth(from) || (IsSigned(from) && BitWidth(type) == BitWidth(from));
      return fits && operand(0);
    }
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
    case HloOpcode::kCopy:
    case HloOpcode::kFloor:
    case HloOpcode::kCeil:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kSign: return operand(0);
    case HloOpcode::kPad:
    case HloOpcode::kDynamicUpdateSlice: return operand(0) && operand(1);
    default: return false;  // may be negative
  }
}

}  // namespace

bool IsNonNegative(const HloInstruction* i) { return NonNegative(i, 0); }

}  // namespace hloir::rules
