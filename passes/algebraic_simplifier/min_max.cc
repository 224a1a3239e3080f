// Rules of maximum, minimum and clamp. A NaN operand makes all three NaN; which zero max(-0, 0) gives is not said, so a
// rule here keeps the operands' order, or is of class rounding.
#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

namespace m = match;

// max(A, A) => A
HloInstruction* Same(HloInstruction* i, RuleContext& c) {
  return i->operand(0) == i->operand(1) ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// max(A, lowest) => A, min(A, highest) => A
HloInstruction* Extreme(HloInstruction* i, RuleContext& c) {
  for (int64_t k = 0; k < 2; ++k) {
    if (IsIdentityElement(i->opcode(), i->operand(k))) return c.ReplaceWith(i->operand(1 - k));
  }
  return nullptr;
}

// C max A => A max C
HloInstruction* ConstantRight(HloInstruction* i, RuleContext& c) {
  if (!IsConstantLike(i->operand(0)) || IsConstantLike(i->operand(1)) || !c.Allow()) return nullptr;
  return c.Binary(i->opcode(), i->operand(1), i->operand(0));
}

// max(max(A, B), B) => max(A, B), max(max(A, B), A), max(A, max(A, B))
HloInstruction* Nested(HloInstruction* i, RuleContext& c) {
  HloInstruction *l = i->operand(0), *r = i->operand(1);
  if (l->opcode() == i->opcode() && (l->operand(0) == r || l->operand(1) == r)) return c.ReplaceWith(l);
  if (r->opcode() == i->opcode() && r->operand(0) == l) return c.ReplaceWith(r);
  return nullptr;
}

// max(max(A, C1), C2) => max(A, max(C1, C2))
HloInstruction* MergeConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *inner = i->operand(0), *c2 = i->operand(1);
  if (inner->opcode() != i->opcode() || SplatConstant(c2) == nullptr || SplatConstant(inner->operand(1)) == nullptr ||
      !c.Allow()) {
    return nullptr;
  }
  HloInstruction* x = const_cast<HloInstruction*>(SplatConstant(inner->operand(1)));
  HloInstruction* y = const_cast<HloInstruction*>(SplatConstant(c2));
  return c.Binary(i->opcode(), inner->operand(0), c.BroadcastScalar(c.Binary(i->opcode(), x, y), i->shape()));
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
  HloInstruction* x = const_cast<HloInstruction*>(SplatConstant(low));
  HloInstruction* y = const_cast<HloInstruction*>(SplatConstant(high));
  return c.Add(HloOpcode::kClamp, a->shape(), {x, a, y}, std::monostate{});
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

constexpr Rule kRules[] = {
    {HloOpcode::kMaximum, "maximum-same", "max(A, A) => A", kExact, kExact, Same},
    {HloOpcode::kMaximum, "maximum-lowest", "max(A, lowest) => A", kExact, kExact, Extreme},
    {HloOpcode::kMaximum, "maximum-constant-right", "max(C, A) => max(A, C)", kExact, kRounding, ConstantRight},
    {HloOpcode::kMaximum, "maximum-nested", "max(max(A, B), B) => max(A, B)", kExact, kExact, Nested},
    {HloOpcode::kMaximum, "maximum-constants", "max(max(A, C1), C2) => max(A, max(C1, C2))", kExact, kRounding,
     MergeConstants},
    {HloOpcode::kMaximum, "maximum-of-minimum", "max(min(A, H), L) => clamp(L, A, H), L <= H", kExact, kRounding,
     MaxOfMin},
    {HloOpcode::kMinimum, "minimum-same", "min(A, A) => A", kExact, kExact, Same},
    {HloOpcode::kMinimum, "minimum-highest", "min(A, highest) => A", kExact, kExact, Extreme},
    {HloOpcode::kMinimum, "minimum-constant-right", "min(C, A) => min(A, C)", kExact, kRounding, ConstantRight},
    {HloOpcode::kMinimum, "minimum-nested", "min(min(A, B), B) => min(A, B)", kExact, kExact, Nested},
    {HloOpcode::kMinimum, "minimum-constants", "min(min(A, C1), C2) => min(A, min(C1, C2))", kExact, kRounding,
     MergeConstants},
    {HloOpcode::kMinimum, "minimum-of-maximum", "min(max(A, L), H) => clamp(L, A, H), L <= H", kExact, kRounding,
     MinOfMax},
    {HloOpcode::kClamp, "clamp-clamp", "clamp(L, clamp(L, A, H), H) => clamp(L, A, H)", kExact, kExact, ClampClamp},
};

}  // namespace

std::span<const Rule> MinMaxRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
