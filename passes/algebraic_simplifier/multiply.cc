// Rules of multiply. Floats: A * 0 is not 0 for NaN, infinities and negative A.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

namespace m = match;

// A * 1 => A
HloInstruction* MultiplyOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  // A complex 1 is 1+0i, and (a+bi)(1+0i) = (a - b*0) + (a*0 + b)i makes NaN of infinities.
  if (!Match(i, m::MultiplyAnyOrder(m::Any(&a), m::Splat(1))) || IsComplex(i->shape().element_type())) return nullptr;
  return c.ReplaceWith(a);
}

// A * 0 => 0
HloInstruction* MultiplyZero(HloInstruction* i, RuleContext& c) {
  HloInstruction* zero;
  if (!Match(i, m::MultiplyAnyOrder(m::Any(), m::Splat(&zero, 0)))) return nullptr;
  return c.ReplaceWith(zero);
}

// A * -1 => -A
HloInstruction* MultiplyMinusOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::MultiplyAnyOrder(m::Any(&a), m::Splat(-1))) || IsComplex(i->shape().element_type()) || !c.Allow()) {
    return nullptr;
  }
  return c.Unary(HloOpcode::kNegate, a);
}

// (-A) * (-B) => A * B
HloInstruction* MultiplyNegateNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Multiply(m::Negate(m::Any(&a)), m::Negate(m::Any(&b)))) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kMultiply, a, b);
}

// |A| * |A| => A * A
HloInstruction* MultiplyAbsAbs(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Multiply(m::Abs(m::Any(&a)), m::Abs(m::Same(&a)))) || IsComplex(a->shape().element_type()) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kMultiply, a, a);
}

// True if C1 * C2 is a normal number of its type. 10^30 * 10^30 of f32 is not: A * inf loses a value that A * C1 * C2
// may still have. Nor is a product with 0, because A * 0 * B * 0 can be a number where A * B overflows.
bool IsProductNormal(const HloInstruction* c1, const HloInstruction* c2) {
  const PrimitiveType type = c1->shape().element_type();
  if (!IsFloat(ComplexComponentType(type))) return true;
  const FloatFormat format = GetFloatFormat(ComplexComponentType(type));
  const auto size = [](const HloInstruction* c) { return std::abs(SplatConstant(c)->literal().GetAsComplex(0)); };
  const double product = size(c1) * size(c2);
  return product >= std::ldexp(1, 1 - format.bias) && product < std::ldexp(1, format.bias);
}

// (A * C1) * C2 => A * (C1 * C2), A no constant: the rule that moves constants to the right would undo it
HloInstruction* MultiplyMultiplyConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *c1, *c2;
  if (!Match(i, m::Multiply(m::Multiply(m::Any(&a), m::Splat(&c1)), m::Splat(&c2))) || IsConstantLike(a) ||
      !IsProductNormal(c1, c2) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* product = c.Binary(HloOpcode::kMultiply, SplatConstant(c1), SplatConstant(c2));
  return c.Binary(HloOpcode::kMultiply, a, c.BroadcastScalar(product, i->shape()));
}

// (A * C1) * (B * C2) => (A * B) * (C1 * C2)
HloInstruction* MultiplyCollectConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *c1, *c2;
  if (!Match(i, m::Multiply(m::Multiply(m::Any(&a), m::Splat(&c1)).WithOneUser(),
                            m::Multiply(m::Any(&b), m::Splat(&c2)).WithOneUser())) ||
      IsConstantLike(a) || IsConstantLike(b) || !IsProductNormal(c1, c2) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* product = c.Binary(HloOpcode::kMultiply, SplatConstant(c1), SplatConstant(c2));
  HloInstruction* factor = c.BroadcastScalar(product, i->shape());
  return c.Binary(HloOpcode::kMultiply, c.Binary(HloOpcode::kMultiply, a, b), factor);
}

// convert(pred P) * A => select(P, A, 0); not of 0 * NaN and 0 * inf, so it is no matter of rounding
HloInstruction* MultiplyConvertedPred(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *p;
  if (!Match(i, m::MultiplyAnyOrder(m::Any(&a), m::Convert(m::Any(&p)))) || !IsPred(p) || !c.Allow()) return nullptr;
  return c.Select(p, a, c.Splat(i->shape(), 0));
}

// exp(A) * exp(B) => exp(A + B)
HloInstruction* MultiplyExpExp(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Multiply(m::Exp(m::Any(&a)).WithOneUser(), m::Exp(m::Any(&b)).WithOneUser())) || !c.Allow())
    return nullptr;
  return c.Unary(HloOpcode::kExp, c.Binary(HloOpcode::kAdd, a, b));
}

// sqrt(A) * sqrt(A) => A
HloInstruction* MultiplySqrtSqrt(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Multiply(m::Sqrt(m::Any(&a)), m::Sqrt(m::Same(&a)))) || !IsFloating(i)) return nullptr;
  return c.ReplaceWith(a);
}

// (-A) * C => A * (-C)
HloInstruction* MultiplyNegateConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *constant;
  if (!Match(i, m::Multiply(m::Negate(m::Any(&a)), m::Splat(&constant))) || IsComplex(i->shape().element_type()) ||
      !c.Allow()) {
    return nullptr;
  }
  HloInstruction* negated = c.Unary(HloOpcode::kNegate, SplatConstant(constant));
  return c.Binary(HloOpcode::kMultiply, a, c.BroadcastScalar(negated, i->shape()));
}

// rsqrt(A) * rsqrt(A) => 1 / A
HloInstruction* MultiplyRsqrtRsqrt(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Multiply(m::Rsqrt(m::Any(&a)), m::Rsqrt(m::Same(&a)))) || !IsFloating(i) || !c.Allow())
    return nullptr;
  return c.Binary(HloOpcode::kDivide, c.Splat(i->shape(), 1), a);
}

// (A * C) * broadcast(B) => A * broadcast(B * C)
HloInstruction* MultiplyConstantBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *constant, *broadcast;
  if (!Match(i, m::MultiplyAnyOrder(m::Multiply(m::Any(&a), m::Splat(&constant)).WithOneUser(),
                                    m::Broadcast(&broadcast, m::Any(&b)))) ||
      b->IsConstant() || 2 * b->shape().ElementCount() > i->shape().ElementCount() || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* product = c.Binary(HloOpcode::kMultiply, b, c.BroadcastScalar(SplatConstant(constant), b->shape()));
  return c.Binary(HloOpcode::kMultiply, a, c.Broadcast(product, i->shape(), broadcast->dimensions()));
}

constexpr Rule kMultiplyRules[] = {
    {HloOpcode::kMultiply, "multiply-one", "A * 1 => A", kExact, kExact, MultiplyOne},
    {HloOpcode::kMultiply, "multiply-zero", "A * 0 => 0", kExact, kFast, MultiplyZero},
    {HloOpcode::kMultiply, "multiply-minus-one", "A * -1 => -A", kExact, kExact, MultiplyMinusOne},
    {HloOpcode::kMultiply, "multiply-constant-right", "C * A => A * C", kExact, kExact, ConstantRight},
    {HloOpcode::kMultiply, "multiply-negate-negate", "(-A) * (-B) => A * B", kExact, kExact, MultiplyNegateNegate},
    {HloOpcode::kMultiply, "multiply-abs-abs", "|A| * |A| => A * A", kExact, kExact, MultiplyAbsAbs},
    {HloOpcode::kMultiply, "multiply-multiply-constants", "(A * C1) * C2 => A * (C1 * C2)", kExact, kRounding,
     MultiplyMultiplyConstants},
    {HloOpcode::kMultiply, "multiply-collect-constants", "(A * C1) * (B * C2) => (A * B) * (C1 * C2)", kExact,
     kRounding, MultiplyCollectConstants},
    {HloOpcode::kMultiply, "multiply-converted-pred", "convert(pred P) * A => select(P, A, 0)", kExact, kFast,
     MultiplyConvertedPred},
    {HloOpcode::kMultiply, "multiply-exp-exp", "exp(A) * exp(B) => exp(A + B)", kRounding, kRounding, MultiplyExpExp},
    {HloOpcode::kMultiply, "multiply-sqrt-sqrt", "sqrt(A) * sqrt(A) => A", kFast, kFast, MultiplySqrtSqrt},
    {HloOpcode::kMultiply, "multiply-negate-constant", "(-A) * C => A * (-C)", kExact, kExact, MultiplyNegateConstant},
    {HloOpcode::kMultiply, "multiply-rsqrt-rsqrt", "rsqrt(A) * rsqrt(A) => 1 / A", kFast, kFast, MultiplyRsqrtRsqrt},
    {HloOpcode::kMultiply, "multiply-constant-broadcast", "(A * C) * broadcast(B) => A * broadcast(B * C)", kExact,
     kRounding, MultiplyConstantBroadcast},
};

}  // namespace

std::span<const Rule> MultiplyRules() { return kMultiplyRules; }

}  // namespace hloir::rules
