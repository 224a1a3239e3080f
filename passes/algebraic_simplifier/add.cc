// Rules of add and subtract. Floats: -0 is the number that addition does not notice, not 0: -0 + 0 is 0.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

namespace m = match;

// The sum, difference, … of two splats, as a splat: one scalar operation, which constant folding then computes.
HloInstruction* OnSplats(RuleContext& c, HloOpcode opcode, HloInstruction* a, HloInstruction* b, const Shape& shape) {
  HloInstruction* x = SplatConstant(a);
  HloInstruction* y = SplatConstant(b);
  return c.BroadcastScalar(c.Binary(opcode, x, y), shape);
}

// A + 0 => A
HloInstruction* AddZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::AddAnyOrder(m::Any(&a), m::Splat(0)))) return nullptr;
  return c.ReplaceWith(a);
}

// A + (-0) => A
HloInstruction* AddNegativeZero(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *zero;
  if (!Match(i, m::AddAnyOrder(m::Any(&a), m::Splat(&zero, 0))) || !IsNegativeZero(zero)) return nullptr;
  return c.ReplaceWith(a);
}

// (A + C1) + C2 => A + (C1 + C2)
HloInstruction* AddAddConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *c1, *c2;
  if (!Match(i, m::Add(m::Add(m::Any(&a), m::Splat(&c1)), m::Splat(&c2))) || IsConstantLike(a) || !c.Allow())
    return nullptr;
  return c.Binary(HloOpcode::kAdd, a, OnSplats(c, HloOpcode::kAdd, c1, c2, i->shape()));
}

// (C1 - A) + C2 => (C1 + C2) - A
HloInstruction* AddSubtractConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *c1, *c2;
  if (!Match(i, m::Add(m::Subtract(m::Splat(&c1), m::Any(&a)), m::Splat(&c2))) || IsConstantLike(a) || !c.Allow())
    return nullptr;
  return c.Binary(HloOpcode::kSubtract, OnSplats(c, HloOpcode::kAdd, c1, c2, i->shape()), a);
}

// A + (B - A) => B
HloInstruction* AddOfSubtract(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Add(m::Any(&a), m::Subtract(m::Any(&b), m::Same(&a)))) &&
      !Match(i, m::Add(m::Subtract(m::Any(&b), m::Any(&a)), m::Same(&a)))) {
    return nullptr;
  }
  return c.ReplaceWith(b);
}

// A + (-B) => A - B
HloInstruction* AddNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::AddAnyOrder(m::Any(&a), m::Negate(m::Any(&b)))) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kSubtract, a, b);
}

// A * C + B * C => (A + B) * C
HloInstruction* AddFactor(HloInstruction* i, RuleContext& c) {
  HloInstruction *l = i->operand(0), *r = i->operand(1);
  if (l == r || l->opcode() != HloOpcode::kMultiply || r->opcode() != HloOpcode::kMultiply || l->user_count() != 1 ||
      r->user_count() != 1) {
    return nullptr;
  }
  for (int64_t x = 0; x < 2; ++x) {
    for (int64_t y = 0; y < 2; ++y) {
      if (l->operand(x) != r->operand(y) || !c.Allow()) continue;
      return c.Binary(HloOpcode::kMultiply, c.Binary(HloOpcode::kAdd, l->operand(1 - x), r->operand(1 - y)),
                      l->operand(x));
    }
  }
  return nullptr;
}

// A - A => 0
HloInstruction* SubtractSame(HloInstruction* i, RuleContext& c) {
  if (i->operand(0) != i->operand(1) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}

// A - 0 => A (only +0: A - (-0) is A + 0)
HloInstruction* SubtractZero(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *zero;
  if (!Match(i, m::Subtract(m::Any(&a), m::Splat(&zero, 0)))) return nullptr;
  if (!IsIntegral(i) && !IsPositiveZero(zero)) return nullptr;
  return c.ReplaceWith(a);
}

// A - C => A + (-C)
HloInstruction* SubtractConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *constant;
  if (!Match(i, m::Subtract(m::Any(&a), m::Splat(&constant))) || IsConstantLike(a)) return nullptr;
  PrimitiveType type = i->shape().element_type();
  if (!IsInteger(type) && !IsFloat(type)) return nullptr;
  if (IsFloat(type) && (!GetFloatFormat(type).has_sign || !GetFloatFormat(type).has_negative_zero)) return nullptr;
  if (!c.Allow()) return nullptr;
  const Literal& value = SplatConstant(constant)->literal();
  Literal negated(Shape::Scalar(type));
  if (IsInteger(type)) {
    uint64_t bits = 0 - static_cast<uint64_t>(value.GetAsInt64(0));
    // Types under a byte are stored in one: keep to the value's bits, sign-extended.
    int unused = 64 - BitWidth(type);
    bits <<= unused;
    negated.SetFromInt64(0,
                         IsSigned(type) ? static_cast<int64_t>(bits) >> unused : static_cast<int64_t>(bits >> unused));
  } else {
    negated.SetFromDouble(0, -value.GetAsDouble(0));
  }
  return c.Binary(HloOpcode::kAdd, a, c.SplatOf(i->shape(), std::move(negated)));
}

// 0 - A => -A
HloInstruction* SubtractFromZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Subtract(m::Splat(0), m::Any(&a))) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kNegate, a);
}

// (-0) - A => -A
HloInstruction* SubtractFromNegativeZero(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *zero;
  if (!Match(i, m::Subtract(m::Splat(&zero, 0), m::Any(&a))) || !IsNegativeZero(zero) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kNegate, a);
}

// A - (-B) => A + B
HloInstruction* SubtractNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Subtract(m::Any(&a), m::Negate(m::Any(&b)))) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kAdd, a, b);
}

// A - (A - B) => B
HloInstruction* SubtractOfSubtract(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Subtract(m::Any(&a), m::Subtract(m::Same(&a), m::Any(&b))))) return nullptr;
  return c.ReplaceWith(b);
}

// A - (A + B) => -B
HloInstruction* SubtractOfAdd(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Subtract(m::Any(&a), m::AddAnyOrder(m::Same(&a), m::Any(&b)))) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kNegate, b);
}

// (A + B) - A => B
HloInstruction* SubtractFromAdd(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Subtract(m::Add(m::Any(&a), m::Any(&b)), m::Same(&a))) &&
      !Match(i, m::Subtract(m::Add(m::Any(&b), m::Any(&a)), m::Same(&a)))) {
    return nullptr;
  }
  return c.ReplaceWith(b);
}

// (A + C1) on the right of a constant: C1 - (A + C2) => (C1 - C2) - A
HloInstruction* SubtractAddConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *c1, *c2;
  if (!Match(i, m::Subtract(m::Splat(&c1), m::Add(m::Any(&a), m::Splat(&c2)))) || IsConstantLike(a) || !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kSubtract, OnSplats(c, HloOpcode::kSubtract, c1, c2, i->shape()), a);
}

// C1 - (C2 - A) => A + (C1 - C2)
HloInstruction* SubtractSubtractConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *c1, *c2;
  if (!Match(i, m::Subtract(m::Splat(&c1), m::Subtract(m::Splat(&c2), m::Any(&a)))) || IsConstantLike(a) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kAdd, a, OnSplats(c, HloOpcode::kSubtract, c1, c2, i->shape()));
}

// not(A) + 1 => -A
HloInstruction* AddNotOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!IsIntegral(i) || !Match(i, m::AddAnyOrder(m::Not(m::Any(&a)), m::Splat(1))) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kNegate, a);
}

// A + not(A) => -1
HloInstruction* AddNotSame(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!IsIntegral(i) ||
      !(Match(i, m::Add(m::Not(m::Any(&a)), m::Same(&a))) || Match(i, m::Add(m::Any(&a), m::Not(m::Same(&a))))) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Unary(HloOpcode::kNot, c.Splat(i->shape(), 0));
}

// A + dynamic-update-slice(0, B, k) => dynamic-update-slice(A, dynamic-slice(A, k) + B, k)
HloInstruction* AddUpdateOfZeros(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *update;
  if (!Match(i, m::AddAnyOrder(m::Any(&a), m::DynamicUpdateSlice(&update).WithOneUser()))) return nullptr;
  if (!IsSplatZero(update->operand(0)) || update->operand_count() != 2 + i->shape().rank() || !c.Allow())
    return nullptr;
  const Shape& part = update->operand(1)->shape();
  std::vector<HloInstruction*> operands{a};
  operands.insert(operands.end(), update->operands().begin() + 2, update->operands().end());
  HloInstruction* slice = c.computation()->AddInstruction(HloOpcode::kDynamicSlice, part, operands,
                                                          DynamicSliceAttributes{part.dimensions()});
  operands.insert(operands.begin() + 1, c.Binary(HloOpcode::kAdd, slice, update->operand(1)));
  return c.CloneOver(update, operands, i->shape());
}

constexpr Rule kAddRules[] = {
    {HloOpcode::kAdd, "add-zero", "A + 0 => A", kExact, kRounding, AddZero},
    {HloOpcode::kAdd, "add-negative-zero", "A + (-0) => A", kExact, kExact, AddNegativeZero},
    {HloOpcode::kAdd, "add-constant-right", "C + A => A + C", kExact, kExact, ConstantRight},
    {HloOpcode::kAdd, "add-add-constants", "(A + C1) + C2 => A + (C1 + C2)", kExact, kRounding, AddAddConstants},
    {HloOpcode::kAdd, "add-subtract-constants", "(C1 - A) + C2 => (C1 + C2) - A", kExact, kRounding,
     AddSubtractConstants},
    {HloOpcode::kAdd, "add-of-subtract", "A + (B - A) => B", kExact, kFast, AddOfSubtract},
    {HloOpcode::kAdd, "add-negate", "A + (-B) => A - B", kExact, kExact, AddNegate},
    {HloOpcode::kAdd, "add-factor", "A * C + B * C => (A + B) * C", kExact, kFast, AddFactor},
    {HloOpcode::kSubtract, "subtract-same", "A - A => 0", kExact, kFast, SubtractSame},
    {HloOpcode::kSubtract, "subtract-zero", "A - 0 => A", kExact, kExact, SubtractZero},
    {HloOpcode::kSubtract, "subtract-constant", "A - C => A + (-C)", kExact, kExact, SubtractConstant},
    {HloOpcode::kSubtract, "subtract-from-zero", "0 - A => -A", kExact, kRounding, SubtractFromZero},
    {HloOpcode::kSubtract, "subtract-from-negative-zero", "(-0) - A => -A", kExact, kExact, SubtractFromNegativeZero},
    {HloOpcode::kSubtract, "subtract-negate", "A - (-B) => A + B", kExact, kExact, SubtractNegate},
    {HloOpcode::kSubtract, "subtract-of-subtract", "A - (A - B) => B", kExact, kFast, SubtractOfSubtract},
    {HloOpcode::kSubtract, "subtract-of-add", "A - (A + B) => -B", kExact, kFast, SubtractOfAdd},
    {HloOpcode::kSubtract, "subtract-from-add", "(A + B) - A => B", kExact, kFast, SubtractFromAdd},
    {HloOpcode::kSubtract, "subtract-add-constants", "C1 - (A + C2) => (C1 - C2) - A", kExact, kRounding,
     SubtractAddConstants},
    {HloOpcode::kSubtract, "subtract-subtract-constants", "C1 - (C2 - A) => A + (C1 - C2)", kExact, kRounding,
     SubtractSubtractConstants},
    {HloOpcode::kAdd, "add-not-one", "not(A) + 1 => -A, integer", kExact, kExact, AddNotOne},
    {HloOpcode::kAdd, "add-not-same", "A + not(A) => -1, integer", kExact, kExact, AddNotSame},
    {HloOpcode::kAdd, "add-update-of-zeros",
     "A + dynamic-update-slice(0, B, k) => dynamic-update-slice(A, dynamic-slice(A, k) + B, k)", kExact, kRounding,
     AddUpdateOfZeros},
};

}  // namespace

std::span<const Rule> AddRules() { return kAddRules; }

}  // namespace hloir::rules
