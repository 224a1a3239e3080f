// Rules of select. The predicate may be a scalar for arrays; then it applies to every element.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

namespace m = match;
using D = ComparisonDirection;

// select(P, A, A) => A
HloInstruction* SelectOfSame(HloInstruction* i, RuleContext& c) {
  return i->operand(1) == i->operand(2) ? c.ReplaceWith(i->operand(1)) : nullptr;
}

// select(true, A, B) => A
HloInstruction* True(HloInstruction* i, RuleContext& c) {
  return Match(i->operand(0), m::Splat(1)) ? c.ReplaceWith(i->operand(1)) : nullptr;
}

// select(false, A, B) => B
HloInstruction* False(HloInstruction* i, RuleContext& c) {
  return Match(i->operand(0), m::Splat(0)) ? c.ReplaceWith(i->operand(2)) : nullptr;
}

// select(not P, A, B) => select(P, B, A)
HloInstruction* Not(HloInstruction* i, RuleContext& c) {
  HloInstruction* p;
  if (!Match(i->operand(0), m::Not(m::Any(&p))) || !c.Allow()) return nullptr;
  return c.Select(p, i->operand(2), i->operand(1));
}

// select(P, true, false) => P
HloInstruction* Identity(HloInstruction* i, RuleContext& c) {
  HloInstruction* p;
  if (!IsPred(i) || !Match(i, m::Select(m::Any(&p), m::Splat(1), m::Splat(0)))) return nullptr;
  return c.ReplaceWith(p);
}

// select(P, false, true) => not P
HloInstruction* Negation(HloInstruction* i, RuleContext& c) {
  HloInstruction* p;
  if (!IsPred(i) || !Match(i, m::Select(m::Any(&p), m::Splat(0), m::Splat(1))) ||
      !p->shape().SameDimensions(i->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.Unary(HloOpcode::kNot, p);
}

// select(P, A, false) => P & A
HloInstruction* And(HloInstruction* i, RuleContext& c) {
  HloInstruction *p, *a;
  if (!IsPred(i) || !Match(i, m::Select(m::Any(&p), m::Any(&a), m::Splat(0))) ||
      !p->shape().SameDimensions(i->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kAnd, p, a);
}

// select(P, true, B) => P | B
HloInstruction* Or(HloInstruction* i, RuleContext& c) {
  HloInstruction *p, *b;
  if (!IsPred(i) || !Match(i, m::Select(m::Any(&p), m::Splat(1), m::Any(&b))) ||
      !p->shape().SameDimensions(i->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kOr, p, b);
}

// select(P, select(P, A, B), C) => select(P, A, C), and on the other side
HloInstruction* SelectNested(HloInstruction* i, RuleContext& c) {
  HloInstruction *p = i->operand(0), *a = i->operand(1), *b = i->operand(2);
  const bool left = a->opcode() == HloOpcode::kSelect && a->operand(0) == p;
  const bool right = b->opcode() == HloOpcode::kSelect && b->operand(0) == p;
  if ((!left && !right) || !c.Allow()) return nullptr;
  return c.Select(p, left ? a->operand(1) : a, right ? b->operand(2) : b);
}

// select(A == B, A, B) => B; for floats -0 == 0, and select(x == 0, 0, x) is how programs get rid of -0
HloInstruction* Equal(HloInstruction* i, RuleContext& c) {
  HloInstruction *p = i->operand(0), *a = i->operand(1), *b = i->operand(2);
  if (p->opcode() != HloOpcode::kCompare || p->attributes<CompareAttributes>().direction != D::kEq) return nullptr;
  if (!(p->operand(0) == a && p->operand(1) == b) && !(p->operand(0) == b && p->operand(1) == a)) return nullptr;
  return c.ReplaceWith(b);
}

// select(A != B, A, B) => A; for floats -0 == 0
HloInstruction* NotEqual(HloInstruction* i, RuleContext& c) {
  HloInstruction *p = i->operand(0), *a = i->operand(1), *b = i->operand(2);
  if (p->opcode() != HloOpcode::kCompare || p->attributes<CompareAttributes>().direction != D::kNe) return nullptr;
  if (!(p->operand(0) == a && p->operand(1) == b) && !(p->operand(0) == b && p->operand(1) == a)) return nullptr;
  return c.ReplaceWith(a);
}

// select(A > B, A, B) => max(A, B), select(A < B, A, B) => min(A, B), integer
HloInstruction* SelectToExtreme(HloInstruction* i, RuleContext& c) {
  HloInstruction *p = i->operand(0), *a = i->operand(1), *b = i->operand(2);
  if (p->opcode() != HloOpcode::kCompare || !IsIntegral(i) || !p->shape().SameDimensions(i->shape())) return nullptr;
  D direction = p->attributes<CompareAttributes>().direction;
  const bool in_order = p->operand(0) == a && p->operand(1) == b, swapped = p->operand(0) == b && p->operand(1) == a;
  if ((!in_order && !swapped) || direction == D::kEq || direction == D::kNe || !c.Allow()) return nullptr;
  const bool greater = direction == D::kGt || direction == D::kGe;
  return c.Binary(greater == in_order ? HloOpcode::kMaximum : HloOpcode::kMinimum, a, b);
}

// select(P, 1, 0) => convert(P)
HloInstruction* OneZero(HloInstruction* i, RuleContext& c) {
  HloInstruction *p, *zero;
  if (IsPred(i) || IsComplex(i->shape().element_type()) || BitWidth(i->shape().element_type()) < 8 ||
      !Match(i, m::Select(m::Any(&p), m::Splat(1), m::Splat(&zero, 0))) || IsNegativeZero(zero) ||
      !p->shape().SameDimensions(i->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.Convert(p, i->shape().element_type());
}

// select(P, select(Q, A, B), B) => select(P & Q, A, B)
HloInstruction* AndOfPredicates(HloInstruction* i, RuleContext& c) {
  HloInstruction *p = i->operand(0), *inner = i->operand(1), *b = i->operand(2);
  if (inner->opcode() != HloOpcode::kSelect || inner->user_count() != 1 || inner->operand(2) != b ||
      !(p->shape() == inner->operand(0)->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.Select(c.Binary(HloOpcode::kAnd, p, inner->operand(0)), inner->operand(1), b);
}

// select(P, A, select(Q, A, B)) => select(P | Q, A, B)
HloInstruction* OrOfPredicates(HloInstruction* i, RuleContext& c) {
  HloInstruction *p = i->operand(0), *a = i->operand(1), *inner = i->operand(2);
  if (inner->opcode() != HloOpcode::kSelect || inner->user_count() != 1 || inner->operand(1) != a ||
      !(p->shape() == inner->operand(0)->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.Select(c.Binary(HloOpcode::kOr, p, inner->operand(0)), a, inner->operand(2));
}

// select(P, f(A), f(B)) => f(select(P, A, B)), f elementwise of one operand
HloInstruction* OfSameOperation(HloInstruction* i, RuleContext& c) {
  HloInstruction *p = i->operand(0), *a = i->operand(1), *b = i->operand(2);
  if (a == b || a->opcode() != b->opcode() || !a->Is(kElementwise) || a->operand_count() != 1 || a->user_count() != 1 ||
      b->user_count() != 1 || a->HasAttributes<ReducePrecisionAttributes>() ||
      a->opcode() == HloOpcode::kBitcastConvert || !(a->operand(0)->shape() == b->operand(0)->shape()) ||
      !a->operand(0)->shape().SameDimensions(i->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.CloneOver(a, std::vector{c.Select(p, a->operand(0), b->operand(0))}, i->shape());
}

constexpr Rule kSelectRules[] = {
    {HloOpcode::kSelect, "select-same", "select(P, A, A) => A", kExact, kExact, SelectOfSame},
    {HloOpcode::kSelect, "select-true", "select(true, A, B) => A", kExact, kExact, True},
    {HloOpcode::kSelect, "select-false", "select(false, A, B) => B", kExact, kExact, False},
    {HloOpcode::kSelect, "select-not", "select(not P, A, B) => select(P, B, A)", kExact, kExact, Not},
    {HloOpcode::kSelect, "select-identity", "select(P, true, false) => P", kExact, kExact, Identity},
    {HloOpcode::kSelect, "select-negation", "select(P, false, true) => not P", kExact, kExact, Negation},
    {HloOpcode::kSelect, "select-and", "select(P, A, false) => P & A", kExact, kExact, And},
    {HloOpcode::kSelect, "select-or", "select(P, true, B) => P | B", kExact, kExact, Or},
    {HloOpcode::kSelect, "select-nested", "select(P, select(P, A, B), C) => select(P, A, C)", kExact, kExact,
     SelectNested},
    {HloOpcode::kSelect, "select-equal", "select(A == B, A, B) => B", kExact, kFast, Equal},
    {HloOpcode::kSelect, "select-not-equal", "select(A != B, A, B) => A", kExact, kFast, NotEqual},
    {HloOpcode::kSelect, "select-extreme", "select(A > B, A, B) => max(A, B), integer", kExact, kExact,
     SelectToExtreme},
    {HloOpcode::kSelect, "select-one-zero", "select(P, 1, 0) => convert(P)", kExact, kExact, OneZero},
    {HloOpcode::kSelect, "select-and-of-predicates", "select(P, select(Q, A, B), B) => select(P & Q, A, B)", kExact,
     kExact, AndOfPredicates},
    {HloOpcode::kSelect, "select-or-of-predicates", "select(P, A, select(Q, A, B)) => select(P | Q, A, B)", kExact,
     kExact, OrOfPredicates},
    {HloOpcode::kSelect, "select-same-operation", "select(P, f(A), f(B)) => f(select(P, A, B))", kExact, kExact,
     OfSameOperation},
};

}  // namespace

std::span<const Rule> SelectRules() { return kSelectRules; }

}  // namespace hloir::rules
