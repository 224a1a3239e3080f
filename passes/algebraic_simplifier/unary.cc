// Rules of operators with one operand that undo or repeat themselves: negate, not, abs, floor, sign, …
#include <cmath>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

namespace m = match;

// True if the type has a sign: negation of the unsigned f8e8m0fnu gives NaN.
bool HasSign(PrimitiveType type) { return !IsFloat(type) || GetFloatFormat(type).has_sign; }

// -(-A) => A
HloInstruction* NegateNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Negate(m::Negate(m::Any(&a)))) || !HasSign(a->shape().element_type())) return nullptr;
  return c.ReplaceWith(a);
}

// -(A - B) => B - A; for floats 0 changes its sign
HloInstruction* NegateSubtract(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Negate(m::Subtract(m::Any(&a), m::Any(&b)).WithOneUser())) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kSubtract, b, a);
}

// not(not A) => A
HloInstruction* NotNot(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Not(m::Not(m::Any(&a))))) return nullptr;
  return c.ReplaceWith(a);
}

// not(A < B) => A >= B. For floats only == and != : a NaN fails both A < B and A >= B.
HloInstruction* NotCompare(HloInstruction* i, RuleContext& c) {
  HloInstruction* compare;
  if (!Match(i, m::Not(m::Compare(&compare, m::Any(), m::Any()).WithOneUser()))) return nullptr;
  const auto& attributes = compare->attributes<CompareAttributes>();
  using D = ComparisonDirection;
  PrimitiveType type = compare->operand(0)->shape().element_type();
  const bool total =
      IsInteger(type) || type == PrimitiveType::PRED || attributes.type == ComparisonType::kFloatTotalOrder;
  D direction = D::kEq;
  switch (attributes.direction) {
    case D::kEq: direction = D::kNe; break;
    case D::kNe: direction = D::kEq; break;
    case D::kGe: direction = D::kLt; break;
    case D::kGt: direction = D::kLe; break;
    case D::kLe: direction = D::kGt; break;
    case D::kLt: direction = D::kGe; break;
  }
  if ((!total && attributes.direction != D::kEq && attributes.direction != D::kNe) || !c.Allow()) return nullptr;
  return c.Compare(direction, compare->operand(0), compare->operand(1), attributes.type);
}

// |-A| => |A|
HloInstruction* AbsNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  const PrimitiveType type = i->shape().element_type();
  if (!Match(i, m::Abs(m::Negate(m::Any(&a)))) || IsComplex(a->shape().element_type()) || !HasSign(type) || !c.Allow())
    return nullptr;
  return c.Unary(HloOpcode::kAbs, a);
}

// |A| => A, where A cannot be negative
HloInstruction* AbsNonNegative(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  return a->opcode() == HloOpcode::kAbs || IsNonNegative(a) ? c.ReplaceWith(a) : nullptr;
}

// f(f(A)) => f(A): floor, ceil, round, sign
HloInstruction* Idempotent(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (a->opcode() != i->opcode()) return nullptr;
  return c.ReplaceWith(a);
}

// f6e2m3fn saturates at 7.5: floor(-7.5) is -8, which rounds to -7.5.
bool RoundsToIntegers(const HloInstruction& i) {
  const PrimitiveType type = i.shape().element_type();
  const FloatFormat format = GetFloatFormat(type);
  if (format.has_infinity || format.has_nan) return true;
  const double largest = Literal::MaxValue(type).GetAsDouble(0);
  return largest == std::floor(largest);
}

// floor(A) => A, where A was converted from an integer; and so ceil, round
HloInstruction* RoundOfInteger(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (a->opcode() != HloOpcode::kConvert || !IsFloating(a)) return nullptr;
  PrimitiveType from = a->operand(0)->shape().element_type();
  if ((!IsInteger(from) && from != PrimitiveType::PRED) || !RoundsToIntegers(*a)) return nullptr;
  return c.ReplaceWith(a);
}

// round(floor(A)) => floor(A), any two of floor, ceil, round
HloInstruction* RoundOfRounded(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if (!RoundsToIntegers(*a) && a->opcode() != i->opcode()) return nullptr;
  if (IsOneOf(a->opcode(), HloOpcode::kFloor, HloOpcode::kCeil, HloOpcode::kRoundNearestAfz,
              HloOpcode::kRoundNearestEven))
    return c.ReplaceWith(a);
  return nullptr;
}

// not(-A) => A - 1, integer
HloInstruction* NotNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!IsIntegral(i) || !Match(i, m::Not(m::Negate(m::Any(&a)).WithOneUser())) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kSubtract, a, c.Splat(i->shape(), 1));
}

// -(not A) => A + 1, integer
HloInstruction* NegateNot(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!IsIntegral(i) || !Match(i, m::Negate(m::Not(m::Any(&a)).WithOneUser())) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kAdd, a, c.Splat(i->shape(), 1));
}

// -(A * C) => A * (-C), -(A / C) => A / (-C), float
HloInstruction* NegateByConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kMultiply && inner->opcode() != HloOpcode::kDivide) return nullptr;
  HloInstruction* constant = SplatConstant(inner->operand(1));
  if (constant == nullptr || inner->user_count() != 1 || IsComplex(i->shape().element_type()) ||
      (inner->opcode() == HloOpcode::kDivide && !IsFloating(i)) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* negated = c.Unary(HloOpcode::kNegate, constant);
  return c.Binary(inner->opcode(), inner->operand(0), c.BroadcastScalar(negated, i->shape()));
}

// is-finite(-A) => is-finite(A), and so |A|
HloInstruction* IsFiniteOfSign(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  if ((a->opcode() != HloOpcode::kNegate && a->opcode() != HloOpcode::kAbs) ||
      IsComplex(a->operand(0)->shape().element_type()) || !c.Allow()) {
    return nullptr;
  }
  return c.computation()->AddInstruction(HloOpcode::kIsFinite, i->shape(), {a->operand(0)});
}

// is-finite(convert(integer A)) => true, to a float that reaches as far
HloInstruction* IsFiniteOfInteger(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::IsFinite(m::Convert(m::Any(&a))))) return nullptr;
  const PrimitiveType from = a->shape().element_type();
  const FloatFormat format = GetFloatFormat(i->operand(0)->shape().element_type());
  if ((!IsInteger(from) && from != PrimitiveType::PRED) || BitWidth(from) >= format.bias || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 1);
}

// sign(A) => min(A, 1), A an integer that cannot be negative
HloInstruction* SignOfNonNegative(HloInstruction* i, RuleContext& c) {
  if (!IsIntegral(i) || !IsNonNegative(i->operand(0)) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kMinimum, i->operand(0), c.Splat(i->shape(), 1));
}

constexpr std::string_view kIdempotent = "f(f(A)) => f(A)", kOfInteger = "f(convert(integer A)) => convert(A)",
                           kOfRounded = "f(g(A)) => g(A), both of floor, ceil, round";
constexpr Rule kUnaryRules[] = {
    {HloOpcode::kNegate, "negate-negate", "-(-A) => A", kExact, kExact, NegateNegate},
    {HloOpcode::kNegate, "negate-subtract", "-(A - B) => B - A", kExact, kRounding, NegateSubtract},
    {HloOpcode::kNot, "not-not", "not(not A) => A", kExact, kExact, NotNot},
    {HloOpcode::kNot, "not-compare", "not(A < B) => A >= B; floats: == and != only", kExact, kExact, NotCompare},
    {HloOpcode::kAbs, "abs-negate", "|-A| => |A|", kExact, kExact, AbsNegate},
    {HloOpcode::kAbs, "abs-non-negative", "|A| => A, if A cannot be negative", kExact, kExact, AbsNonNegative},
    {HloOpcode::kSign, "sign-sign", kIdempotent, kExact, kExact, Idempotent},
    {HloOpcode::kFloor, "floor-of-integer", kOfInteger, kExact, kExact, RoundOfInteger},
    {HloOpcode::kCeil, "ceil-of-integer", kOfInteger, kExact, kExact, RoundOfInteger},
    {HloOpcode::kRoundNearestAfz, "round-of-integer", kOfInteger, kExact, kExact, RoundOfInteger},
    {HloOpcode::kRoundNearestEven, "round-even-of-integer", kOfInteger, kExact, kExact, RoundOfInteger},
    {HloOpcode::kFloor, "floor-of-rounded", kOfRounded, kExact, kExact, RoundOfRounded},
    {HloOpcode::kCeil, "ceil-of-rounded", kOfRounded, kExact, kExact, RoundOfRounded},
    {HloOpcode::kRoundNearestAfz, "round-of-rounded", kOfRounded, kExact, kExact, RoundOfRounded},
    {HloOpcode::kRoundNearestEven, "round-even-of-rounded", kOfRounded, kExact, kExact, RoundOfRounded},
    {HloOpcode::kNot, "not-negate", "not(-A) => A - 1, integer", kExact, kExact, NotNegate},
    {HloOpcode::kNegate, "negate-not", "-(not A) => A + 1, integer", kExact, kExact, NegateNot},
    {HloOpcode::kNegate, "negate-by-constant", "-(A * C) => A * (-C); floats: -(A / C) => A / (-C)", kExact, kExact,
     NegateByConstant},
    {HloOpcode::kIsFinite, "is-finite-of-sign", "is-finite(-A) => is-finite(A)", kExact, kExact, IsFiniteOfSign},
    {HloOpcode::kIsFinite, "is-finite-of-integer", "is-finite(convert(integer A)) => true", kExact, kExact,
     IsFiniteOfInteger},
    {HloOpcode::kSign, "sign-of-non-negative", "sign(A) => min(A, 1), if A is an integer and cannot be negative",
     kExact, kExact, SignOfNonNegative},
};

}  // namespace

std::span<const Rule> UnaryRules() { return kUnaryRules; }

}  // namespace hloir::rules
