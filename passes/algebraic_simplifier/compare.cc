// Rules of compare. Floats: a NaN is unequal to itself and neither less nor greater than anything.
#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

namespace m = match;
using D = ComparisonDirection;

D DirectionOf(const HloInstruction* i) { return i->attributes<CompareAttributes>().direction; }
D Flipped(D direction) {
  switch (direction) {
    case D::kEq:
    case D::kNe: return direction;
    case D::kGe: return D::kLe;
    case D::kGt: return D::kLt;
    case D::kLe: return D::kGe;
    case D::kLt: return D::kGt;
  }
  __builtin_unreachable();
}
bool OnUnsigned(const HloInstruction* i) {
  return IsUnsigned(i->operand(0)->shape().element_type()) || IsPred(i->operand(0));
}
// -0 is less than 0 then, and which of them a maximum gives is not said.
bool IsTotalOrder(const HloInstruction* i) {
  return i->attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder;
}

// C < A => A > C
HloInstruction* ConstantRight(HloInstruction* i, RuleContext& c) {
  if (!IsConstantLike(i->operand(0)) || IsConstantLike(i->operand(1)) || !c.Allow()) return nullptr;
  return c.Compare(Flipped(DirectionOf(i)), i->operand(1), i->operand(0), i->attributes<CompareAttributes>().type);
}

// A < 0 => false, unsigned
HloInstruction* UnsignedLessZero(HloInstruction* i, RuleContext& c) {
  if (!OnUnsigned(i) || DirectionOf(i) != D::kLt || !Match(i, m::Compare(m::Any(), m::Splat(0))) || !c.Allow())
    return nullptr;
  return c.Splat(i->shape(), 0);
}

// A >= 0 => true, unsigned
HloInstruction* UnsignedNotLessZero(HloInstruction* i, RuleContext& c) {
  if (!OnUnsigned(i) || DirectionOf(i) != D::kGe || !Match(i, m::Compare(m::Any(), m::Splat(0))) || !c.Allow())
    return nullptr;
  return c.Splat(i->shape(), 1);
}

// A < A => false; A == A => true but for floats
HloInstruction* Same(HloInstruction* i, RuleContext& c) {
  if (i->operand(0) != i->operand(1)) return nullptr;
  PrimitiveType type = i->operand(0)->shape().element_type();
  const bool floating = IsFloat(type) || IsComplex(type);
  const bool total = !floating || i->attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder;
  D direction = DirectionOf(i);
  const bool strict = direction == D::kLt || direction == D::kGt;
  if ((!strict && !total) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), strict || direction == D::kNe ? 0 : 1);
}

// A != false => A, A == true => A
HloInstruction* PredIdentity(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!IsPred(i->operand(0))) return nullptr;
  double keeps = DirectionOf(i) == D::kNe ? 0 : 1;
  if ((DirectionOf(i) != D::kNe && DirectionOf(i) != D::kEq) || !Match(i, m::Compare(m::Any(&a), m::Splat(keeps))))
    return nullptr;
  return c.ReplaceWith(a);
}

// A == false => not A, A != true => not A
HloInstruction* PredNot(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!IsPred(i->operand(0))) return nullptr;
  double negates = DirectionOf(i) == D::kNe ? 1 : 0;
  if ((DirectionOf(i) != D::kNe && DirectionOf(i) != D::kEq) || !Match(i, m::Compare(m::Any(&a), m::Splat(negates))) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Unary(HloOpcode::kNot, a);
}

// convert(pred P) != 0 => P
HloInstruction* ConvertedPred(HloInstruction* i, RuleContext& c) {
  HloInstruction* p;
  if (DirectionOf(i) != D::kNe || !Match(i, m::Compare(m::Convert(m::Any(&p)), m::Splat(0))) || !IsPred(p))
    return nullptr;
  return c.ReplaceWith(p);
}

// convert(pred P) == 0 => not P
HloInstruction* ConvertedPredZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* p;
  if (DirectionOf(i) != D::kEq || !Match(i, m::Compare(m::Convert(m::Any(&p)), m::Splat(0))) || !IsPred(p) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Unary(HloOpcode::kNot, p);
}

// select(P, 1, 0) != 0 => P
HloInstruction* SelectNotZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* p;
  if (DirectionOf(i) != D::kNe || !Match(i, m::Compare(m::Select(m::Any(&p), m::Splat(1), m::Splat(0)), m::Splat(0)))) {
    return nullptr;
  }
  return c.ReplaceWith(p);
}

// max(A, B) > A => B > A
HloInstruction* GreaterMax(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (DirectionOf(i) != D::kGt || IsTotalOrder(i) ||
      (!Match(i, m::Compare(m::Maximum(m::Any(&a), m::Any(&b)), m::Same(&a))) &&
       !Match(i, m::Compare(m::Maximum(m::Any(&b), m::Any(&a)), m::Same(&a)))) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Compare(D::kGt, b, a, i->attributes<CompareAttributes>().type);
}

// A > min(A, B) => A > B
HloInstruction* GreaterMin(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (DirectionOf(i) != D::kGt || IsTotalOrder(i) ||
      !Match(i, m::Compare(m::Any(&a), m::MinimumAnyOrder(m::Same(&a), m::Any(&b)))) || !c.Allow()) {
    return nullptr;
  }
  return c.Compare(D::kGt, a, b, i->attributes<CompareAttributes>().type);
}

constexpr Rule kRules[] = {
    {HloOpcode::kCompare, "compare-constant-right", "C < A => A > C", kExact, kExact, ConstantRight},
    {HloOpcode::kCompare, "compare-unsigned-less-zero", "A < 0 => false, unsigned", kExact, kExact, UnsignedLessZero},
    {HloOpcode::kCompare, "compare-unsigned-not-less-zero", "A >= 0 => true, unsigned", kExact, kExact,
     UnsignedNotLessZero},
    {HloOpcode::kCompare, "compare-same", "A < A => false; A == A => true, integer", kExact, kExact, Same},
    {HloOpcode::kCompare, "compare-pred-identity", "A != false => A, A == true => A", kExact, kExact, PredIdentity},
    {HloOpcode::kCompare, "compare-pred-not", "A == false => not A, A != true => not A", kExact, kExact, PredNot},
    {HloOpcode::kCompare, "compare-converted-pred", "convert(pred P) != 0 => P", kExact, kExact, ConvertedPred},
    {HloOpcode::kCompare, "compare-converted-pred-zero", "convert(pred P) == 0 => not P", kExact, kExact,
     ConvertedPredZero},
    {HloOpcode::kCompare, "compare-select-not-zero", "select(P, 1, 0) != 0 => P", kExact, kExact, SelectNotZero},
    {HloOpcode::kCompare, "compare-greater-maximum", "max(A, B) > A => B > A", kExact, kExact, GreaterMax},
    {HloOpcode::kCompare, "compare-greater-minimum", "A > min(A, B) => A > B", kExact, kExact, GreaterMin},
};

}  // namespace

std::span<const Rule> CompareRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
