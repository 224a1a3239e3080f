// Rules of maximum, minimum and clamp. A NaN operand makes all three NaN; the sign of max(-0, 0) is unspecified, so a
// rule here keeps the operands' order, or is of class rounding.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

namespace m = match;

// max(A, A) => A
HloInstruction* MinMaxOfSame(HloInstruction* i, RuleContext& c) {
  return i->operand(0) == i->operand(1) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// max(A, lowest) => A, min(A, highest) => A
HloInstruction* WithExtreme(HloInstruction* i, RuleContext& c) {
  for (int64_t k = 0; k < 2; ++k) {
    if (IsIdentityElement(i->opcode(), i->operand(k))) return c.ReplaceWith(i->operand(1 - k));
  }
  return nullptr;
}

// max(max(A, B), B) => max(A, B), max(max(A, B), A), max(A, max(A, B))
HloInstruction* MinMaxNested(HloInstruction* i, RuleContext& c) {
  HloInstruction *l = i->operand(0), *r = i->operand(1);
  if (l->opcode() == i->opcode() && (l->operand(0) == r || l->operand(1) == r)) return c.ReplaceWith(l);
  if (r->opcode() == i->opcode() && r->operand(0) == l) return c.ReplaceWith(r);
  return nullptr;
}

bool Ordered(const HloInstruction* low, const HloInstruction* high) {
  const Literal &a = SplatConstant(low)->literal(), &b = SplatConstant(high)->literal();
  PrimitiveType type = a.shape().element_type();
  if (IsComplex(type)) return false;
  if (IsFloat(type)) return a.GetAsDouble(0) <= b.GetAsDouble(0);
  if (IsUnsigned(type)) return static_cast<uint64_t>(a.GetAsInt64(0)) <= static_cast<uint64_t>(b.GetAsInt64(0));
  return a.GetAsInt64(0) <= b.GetAsInt64(0);
}

// Clamp takes scalar bounds for an array, so the splats' scalars serve.
HloInstruction* MakeClamp(RuleContext& c, HloInstruction* low, HloInstruction* a, HloInstruction* high) {
  HloInstruction* x = SplatConstant(low);
  HloInstruction* y = SplatConstant(high);
  return c.Add(HloOpcode::kClamp, a->shape(), {x, a, y}, NoAttributes{});
}

// max(min(A, H), L) => clamp(L, A, H), constants L <= H
HloInstruction* MaxOfMin(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *low, *high;
  if (!Match(i, m::Maximum(m::Minimum(m::Any(&a), m::Splat(&high)).WithOneUser(), m::Splat(&low))) ||
      !Ordered(low, high) || !c.Allow()) {
    return nullptr;
  }
  return MakeClamp(c, low, a, high);
}

// min(max(A, L), H) => clamp(L, A, H), constants L <= H
HloInstruction* MinOfMax(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *low, *high;
  if (!Match(i, m::Minimum(m::Maximum(m::Any(&a), m::Splat(&low)).WithOneUser(), m::Splat(&high))) ||
      !Ordered(low, high) || !c.Allow()) {
    return nullptr;
  }
  return MakeClamp(c, low, a, high);
}

// clamp(L, clamp(L, A, H), H) => clamp(L, A, H)
HloInstruction* ClampClamp(HloInstruction* i, RuleContext& c) {
  HloInstruction *low = i->operand(0), *inner = i->operand(1), *high = i->operand(2);
  if (inner->opcode() != HloOpcode::kClamp || inner->operand(0) != low || inner->operand(2) != high) return nullptr;
  return c.ReplaceWith(inner);
}

// max(min(A, B), A) => A, and the other way round; a NaN of B is lost
HloInstruction* AbsorbedMinMax(HloInstruction* i, RuleContext& c) {
  const HloOpcode other = i->opcode() == HloOpcode::kMaximum ? HloOpcode::kMinimum : HloOpcode::kMaximum;
  for (int64_t k = 0; k < 2; ++k) {
    HloInstruction *a = i->operand(k), *b = i->operand(1 - k);
    if (b->opcode() == other && (b->operand(0) == a || b->operand(1) == a)) return c.ReplaceWith(a);
  }
  return nullptr;
}

// max(clamp(L, A, H), L) => clamp(L, A, H), min(clamp(L, A, H), H) => clamp(L, A, H)
HloInstruction* OfClamp(HloInstruction* i, RuleContext& c) {
  const int64_t which = i->opcode() == HloOpcode::kMaximum ? 0 : 2;
  for (int64_t k = 0; k < 2; ++k) {
    HloInstruction *clamp = i->operand(k), *bound = i->operand(1 - k);
    if (clamp->opcode() != HloOpcode::kClamp) continue;
    const HloInstruction *x = SplatConstant(clamp->operand(which)), *y = SplatConstant(bound);
    const bool equal = x != nullptr && y != nullptr && x->literal().BitwiseEqual(y->literal());
    // With bounds the wrong way round the upper one wins.
    if ((clamp->operand(which) == bound || equal) &&
        (which == 2 || (SplatConstant(clamp->operand(2)) && x && Ordered(x, clamp->operand(2))))) {
      return c.ReplaceWith(clamp);
    }
  }
  return nullptr;
}

// max(A, -A) => |A|; the smallest integer is its own negative, and has no other absolute value
HloInstruction* MaxOfNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if ((!Match(i, m::Maximum(m::Any(&a), m::Negate(m::Same(&a)))) &&
       !Match(i, m::Maximum(m::Negate(m::Any(&a)), m::Same(&a)))) ||
      IsUnsigned(i->shape().element_type()) || !c.Allow()) {
    return nullptr;
  }
  return c.Unary(HloOpcode::kAbs, a);
}

// max(f(A), f(B)) => f(max(A, B)), f one that never falls: exp, log, tanh, logistic, sqrt, cbrt, erf
HloInstruction* OfRising(HloInstruction* i, RuleContext& c) {
  HloInstruction *x = i->operand(0), *y = i->operand(1);
  if (!IsOneOf(x->opcode(), HloOpcode::kExp, HloOpcode::kLog, HloOpcode::kTanh, HloOpcode::kLogistic, HloOpcode::kSqrt,
               HloOpcode::kCbrt, HloOpcode::kErf))
    return nullptr;
  // log and sqrt of a negative number are NaN, which the larger of two would hide.
  const bool partial = x->opcode() == HloOpcode::kLog || x->opcode() == HloOpcode::kSqrt;
  if (x == y || y->opcode() != x->opcode() || x->user_count() != 1 || y->user_count() != 1 ||
      (partial && !(IsNonNegative(x->operand(0)) && IsNonNegative(y->operand(0)))) || !c.Allow()) {
    return nullptr;
  }
  return c.Unary(x->opcode(), c.Binary(i->opcode(), x->operand(0), y->operand(0)));
}

// clamp(lowest, A, H) => min(A, H), clamp(L, A, highest) => max(A, L)
HloInstruction* ClampOneSided(HloInstruction* i, RuleContext& c) {
  HloInstruction *low = i->operand(0), *a = i->operand(1), *high = i->operand(2);
  const bool no_low = IsIdentityElement(HloOpcode::kMaximum, low),
             no_high = IsIdentityElement(HloOpcode::kMinimum, high);
  if (!no_low && !no_high) return nullptr;
  if (no_low && no_high) return c.ReplaceWith(a);
  HloInstruction* bound = no_low ? high : low;
  if (!c.Allow()) return nullptr;
  if (!bound->shape().SameDimensions(a->shape())) bound = c.BroadcastScalar(bound, a->shape());
  return c.Binary(no_low ? HloOpcode::kMinimum : HloOpcode::kMaximum, a, bound);
}

// clamp(C, A, C) => C; a NaN of A is lost
HloInstruction* ClampToOne(HloInstruction* i, RuleContext& c) {
  const HloInstruction *x = SplatConstant(i->operand(0)), *y = SplatConstant(i->operand(2));
  const bool equal = x != nullptr && y != nullptr && x->literal().BitwiseEqual(y->literal());
  if (i->operand(0) != i->operand(2) && !equal) return nullptr;
  if (i->operand(0)->shape().SameDimensions(i->shape())) return c.ReplaceWith(i->operand(0));
  return c.Allow() ? c.BroadcastScalar(i->operand(0), i->shape()) : nullptr;
}

constexpr Rule kMinMaxRules[] = {
    {HloOpcode::kMaximum, "maximum-same", "max(A, A) => A", kExact, kExact, MinMaxOfSame},
    {HloOpcode::kMaximum, "maximum-lowest", "max(A, lowest) => A", kExact, kExact, WithExtreme},
    {HloOpcode::kMaximum, "maximum-constant-right", "max(C, A) => max(A, C)", kExact, kRounding, ConstantRight},
    {HloOpcode::kMaximum, "maximum-nested", "max(max(A, B), B) => max(A, B)", kExact, kExact, MinMaxNested},
    {HloOpcode::kMaximum, "maximum-constants", "max(max(A, C1), C2) => max(A, max(C1, C2))", kExact, kRounding,
     MergeConstants},
    {HloOpcode::kMaximum, "maximum-of-minimum", "max(min(A, H), L) => clamp(L, A, H), L <= H", kExact, kRounding,
     MaxOfMin},
    {HloOpcode::kMinimum, "minimum-same", "min(A, A) => A", kExact, kExact, MinMaxOfSame},
    {HloOpcode::kMinimum, "minimum-highest", "min(A, highest) => A", kExact, kExact, WithExtreme},
    {HloOpcode::kMinimum, "minimum-constant-right", "min(C, A) => min(A, C)", kExact, kRounding, ConstantRight},
    {HloOpcode::kMinimum, "minimum-nested", "min(min(A, B), B) => min(A, B)", kExact, kExact, MinMaxNested},
    {HloOpcode::kMinimum, "minimum-constants", "min(min(A, C1), C2) => min(A, min(C1, C2))", kExact, kRounding,
     MergeConstants},
    {HloOpcode::kMinimum, "minimum-of-maximum", "min(max(A, L), H) => clamp(L, A, H), L <= H", kExact, kRounding,
     MinOfMax},
    {HloOpcode::kClamp, "clamp-clamp", "clamp(L, clamp(L, A, H), H) => clamp(L, A, H)", kExact, kExact, ClampClamp},
    {HloOpcode::kMaximum, "maximum-absorbed", "max(min(A, B), A) => A", kExact, kFast, AbsorbedMinMax},
    {HloOpcode::kMinimum, "minimum-absorbed", "min(max(A, B), A) => A", kExact, kFast, AbsorbedMinMax},
    {HloOpcode::kMaximum, "maximum-of-clamp", "max(clamp(L, A, H), L) => clamp(L, A, H), L <= H", kExact, kRounding,
     OfClamp},
    {HloOpcode::kMinimum, "minimum-of-clamp", "min(clamp(L, A, H), H) => clamp(L, A, H)", kExact, kRounding, OfClamp},
    {HloOpcode::kMaximum, "maximum-of-negate", "max(A, -A) => |A|", kExact, kRounding, MaxOfNegate},
    {HloOpcode::kMaximum, "maximum-of-rising", "max(f(A), f(B)) => f(max(A, B)), f exp, tanh, erf, ...", kRounding,
     kRounding, OfRising},
    {HloOpcode::kMinimum, "minimum-of-rising", "min(f(A), f(B)) => f(min(A, B)), f exp, tanh, erf, ...", kRounding,
     kRounding, OfRising},
    {HloOpcode::kClamp, "clamp-one-sided", "clamp(lowest, A, H) => min(A, H), clamp(L, A, highest) => max(A, L)",
     kExact, kRounding, ClampOneSided},
    {HloOpcode::kClamp, "clamp-to-one", "clamp(C, A, C) => C", kExact, kFast, ClampToOne},
};

}  // namespace

std::span<const Rule> MinMaxRules() { return kMinMaxRules; }

}  // namespace hloir::rules
