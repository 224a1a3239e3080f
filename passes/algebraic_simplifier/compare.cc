// Rules of compare. Floats: a NaN is unequal to itself and neither less nor greater than anything.
#include "algebraic_simplifier/families.h"
#include "hloir/rewrite_util.h"

namespace hloir::rules {
namespace {

namespace m = match;
using D = ComparisonDirection;

D DirectionOf(const HloInstruction* i) { return i->attributes<CompareAttributes>().direction; }
bool OnUnsigned(const HloInstruction* i) {
  return IsUnsigned(i->operand(0)->shape().element_type()) || IsPred(i->operand(0));
}
// In that order -0 is less than 0, and the zero that a maximum returns is unspecified.
bool IsTotalOrder(const HloInstruction* i) {
  return i->attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder;
}

// C < A => A > C
HloInstruction* CompareConstantRight(HloInstruction* i, RuleContext& c) {
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
HloInstruction* CompareOfSame(HloInstruction* i, RuleContext& c) {
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

// A < 0 => false, A >= 0 => true, A one that cannot be negative; floats: < alone, as A may be NaN
HloInstruction* NonNegativeWithZero(HloInstruction* i, RuleContext& c) {
  const bool less = DirectionOf(i) == D::kLt;
  if (IsTotalOrder(i) || OnUnsigned(i) || !IsSplatZero(i->operand(1)) ||
      !(less || (DirectionOf(i) == D::kGe && IsIntegral(i->operand(0))))) {
    return nullptr;
  }
  if (!IsNonNegative(i->operand(0)) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), less ? 0 : 1);
}

// convert(A) < convert(B) => A < B, to a type that holds all of theirs
HloInstruction* OfConverts(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *convert;
  if (!Match(i, m::Compare(m::Convert(&convert, m::Any(&a)), m::Convert(m::Any(&b))))) return nullptr;
  const PrimitiveType from = a->shape().element_type(), to = convert->shape().element_type();
  const bool alike = (IsInteger(from) && (IsInteger(to) || IsFloat(to))) || (IsFloat(from) && IsFloat(to));
  if (from != b->shape().element_type() || !alike || !HoldsAllOf(to, from) || IsTotalOrder(i) || !c.Allow())
    return nullptr;
  return c.Compare(DirectionOf(i), a, b);
}

// A + C1 == C2 => A == C2 - C1, integer; and so !=
HloInstruction* AddEqualConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *x, *y;
  if ((DirectionOf(i) != D::kEq && DirectionOf(i) != D::kNe) ||
      !Match(i, m::Compare(m::Add(m::Any(&a), m::Splat(&x)), m::Splat(&y))) || !IsIntegral(a) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* difference = c.Binary(HloOpcode::kSubtract, SplatConstant(y), SplatConstant(x));
  return c.Compare(DirectionOf(i), a, c.BroadcastScalar(difference, a->shape()),
                   i->attributes<CompareAttributes>().type);
}

// A - B == 0 => A == B, integer; and so !=
HloInstruction* SubtractEqualZero(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if ((DirectionOf(i) != D::kEq && DirectionOf(i) != D::kNe) ||
      !(Match(i, m::Compare(m::Subtract(m::Any(&a), m::Any(&b)), m::Splat(0))) ||
        Match(i, m::Compare(m::Xor(m::Any(&a), m::Any(&b)), m::Splat(0)))) ||
      !IsIntegral(a) || !c.Allow()) {
    return nullptr;
  }
  return c.Compare(DirectionOf(i), a, b, i->attributes<CompareAttributes>().type);
}

// -A == -B => A == B; not A == not B => A == B, integer
HloInstruction* EqualUnderInverse(HloInstruction* i, RuleContext& c) {
  HloInstruction *a = i->operand(0), *b = i->operand(1);
  if ((DirectionOf(i) != D::kEq && DirectionOf(i) != D::kNe) || a->opcode() != b->opcode() || IsTotalOrder(i))
    return nullptr;
  if ((a->opcode() != HloOpcode::kNegate && a->opcode() != HloOpcode::kNot) || !c.Allow()) return nullptr;
  return c.Compare(DirectionOf(i), a->operand(0), b->operand(0), i->attributes<CompareAttributes>().type);
}

// select(P, C1, C2) == C1 => P; != C2 => P; C1 and C2 different integers
HloInstruction* SelectEqualConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction *p, *x, *y, *z;
  if ((DirectionOf(i) != D::kEq && DirectionOf(i) != D::kNe) ||
      !Match(i, m::Compare(m::Select(m::Any(&p), m::Splat(&x), m::Splat(&y)), m::Splat(&z)))) {
    return nullptr;
  }
  std::optional<int64_t> a = SplatInteger(x), b = SplatInteger(y), k = SplatInteger(z);
  if (!a || !b || !k || a == b || (k != a && k != b) || !p->shape().SameDimensions(i->shape())) return nullptr;
  const bool is_first = (DirectionOf(i) == D::kEq) == (k == a);
  if (is_first) return c.ReplaceWith(p);
  return c.Allow() ? c.Unary(HloOpcode::kNot, p) : nullptr;
}

// min(A, B) < A => B < A
HloInstruction* LessMin(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (DirectionOf(i) != D::kLt || IsTotalOrder(i) ||
      (!Match(i, m::Compare(m::Minimum(m::Any(&a), m::Any(&b)), m::Same(&a))) &&
       !Match(i, m::Compare(m::Minimum(m::Any(&b), m::Any(&a)), m::Same(&a)))) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Compare(D::kLt, b, a, i->attributes<CompareAttributes>().type);
}

// max(A, B) >= A => true, min(A, B) <= A => true, integer
HloInstruction* WithinExtreme(HloInstruction* i, RuleContext& c) {
  const HloInstruction *extreme = i->operand(0), *a = i->operand(1);
  const HloOpcode opcode = DirectionOf(i) == D::kGe ? HloOpcode::kMaximum : HloOpcode::kMinimum;
  if ((DirectionOf(i) != D::kGe && DirectionOf(i) != D::kLe) || extreme->opcode() != opcode || !IsIntegral(a) ||
      (extreme->operand(0) != a && extreme->operand(1) != a) || !c.Allow()) {
    return nullptr;
  }
  return c.Splat(i->shape(), 1);
}

// A > highest => false, A <= highest => true, A < lowest => false, A >= lowest => true, integer
HloInstruction* WithExtremeConstant(HloInstruction* i, RuleContext& c) {
  const HloInstruction* constant = SplatConstant(i->operand(1));
  if (constant == nullptr || !IsIntegral(constant)) return nullptr;
  const PrimitiveType type = constant->shape().element_type();
  const bool highest = constant->literal().BitwiseEqual(Literal::MaxValue(type)),
             lowest = constant->literal().BitwiseEqual(Literal::MinValue(type));
  const D direction = DirectionOf(i);
  const bool never = (highest && direction == D::kGt) || (lowest && direction == D::kLt);
  const bool always = (highest && direction == D::kLe) || (lowest && direction == D::kGe);
  if ((!never && !always) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), always ? 1 : 0);
}

// iota < N => true, iota >= N => false, N over the largest element
HloInstruction* CompareOfIota(HloInstruction* i, RuleContext& c) {
  const HloInstruction* iota = i->operand(0);
  std::optional<int64_t> n = SplatInteger(i->operand(1));
  if (iota->opcode() != HloOpcode::kIota || !n) return nullptr;
  const PrimitiveType type = iota->shape().element_type();
  const int64_t size = iota->shape().dimensions(iota->attributes<IotaAttributes>().iota_dimension);
  const int bits = BitWidth(type) - IsSigned(type);
  if ((bits < 63 && size > int64_t{1} << bits) || size > *n) return nullptr;
  const D direction = DirectionOf(i);
  const bool always = direction == D::kLt || direction == D::kLe || direction == D::kNe;
  return c.Allow() ? c.Splat(i->shape(), always ? 1 : 0) : nullptr;
}

constexpr Rule kCompareRules[] = {
    {HloOpcode::kCompare, "compare-constant-right", "C < A => A > C", kExact, kExact, CompareConstantRight},
    {HloOpcode::kCompare, "compare-unsigned-less-zero", "A < 0 => false, unsigned", kExact, kExact, UnsignedLessZero},
    {HloOpcode::kCompare, "compare-unsigned-not-less-zero", "A >= 0 => true, unsigned", kExact, kExact,
     UnsignedNotLessZero},
    {HloOpcode::kCompare, "compare-same", "A < A => false; A == A => true, integer", kExact, kExact, CompareOfSame},
    {HloOpcode::kCompare, "compare-pred-identity", "A != false => A, A == true => A", kExact, kExact, PredIdentity},
    {HloOpcode::kCompare, "compare-pred-not", "A == false => not A, A != true => not A", kExact, kExact, PredNot},
    {HloOpcode::kCompare, "compare-converted-pred", "convert(pred P) != 0 => P", kExact, kExact, ConvertedPred},
    {HloOpcode::kCompare, "compare-converted-pred-zero", "convert(pred P) == 0 => not P", kExact, kExact,
     ConvertedPredZero},
    {HloOpcode::kCompare, "compare-greater-maximum", "max(A, B) > A => B > A", kExact, kExact, GreaterMax},
    {HloOpcode::kCompare, "compare-greater-minimum", "A > min(A, B) => A > B", kExact, kExact, GreaterMin},
    {HloOpcode::kCompare, "compare-non-negative", "A < 0 => false, A >= 0 => true, if A cannot be negative", kExact,
     kExact, NonNegativeWithZero},
    {HloOpcode::kCompare, "compare-converts", "convert(A) < convert(B) => A < B, to a wider type", kExact, kExact,
     OfConverts},
    {HloOpcode::kCompare, "compare-add-constant", "A + C1 == C2 => A == C2 - C1, integer", kExact, kExact,
     AddEqualConstant},
    {HloOpcode::kCompare, "compare-subtract-zero", "A - B == 0 => A == B, integer", kExact, kExact, SubtractEqualZero},
    {HloOpcode::kCompare, "compare-inverses", "-A == -B => A == B", kExact, kExact, EqualUnderInverse},
    {HloOpcode::kCompare, "compare-select-constant", "select(P, C1, C2) == C1 => P, integer", kExact, kExact,
     SelectEqualConstant},
    {HloOpcode::kCompare, "compare-less-minimum", "min(A, B) < A => B < A", kExact, kExact, LessMin},
    {HloOpcode::kCompare, "compare-within-extreme", "max(A, B) >= A => true, integer", kExact, kExact, WithinExtreme},
    {HloOpcode::kCompare, "compare-extreme-constant", "A > highest => false, A >= lowest => true, integer", kExact,
     kExact, WithExtremeConstant},
    {HloOpcode::kCompare, "compare-iota", "iota < N => true, if N is over its largest element", kExact, kExact,
     CompareOfIota},
};

}  // namespace

std::span<const Rule> CompareRules() { return kCompareRules; }

}  // namespace hloir::rules
