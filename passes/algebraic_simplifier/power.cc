// Rules of power, exponentials, logarithms and roots.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

namespace m = match;

bool IsRealPower(const HloInstruction* i) { return !IsComplex(i->shape().element_type()); }

// A ^ 0 => 1, for NaN too
HloInstruction* PowerZero(HloInstruction* i, RuleContext& c) {
  if (!Match(i, m::Power(m::Any(), m::Splat(0))) || !IsRealPower(i) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 1);
}

// A ^ 1 => A
HloInstruction* PowerOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Power(m::Any(&a), m::Splat(1))) || !IsRealPower(i)) return nullptr;
  return c.ReplaceWith(a);
}

// A ^ 2 => A * A
HloInstruction* PowerTwo(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Power(m::Any(&a), m::Splat(2))) || !IsRealPower(i) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kMultiply, a, a);
}

// A ^ 3 => A * (A * A)
HloInstruction* PowerThree(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Power(m::Any(&a), m::Splat(3))) || !IsRealPower(i) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kMultiply, a, c.Binary(HloOpcode::kMultiply, a, a));
}

// A ^ -1 => 1 / A, float
HloInstruction* PowerMinusOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Power(m::Any(&a), m::Splat(-1))) || !IsFloating(i) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kDivide, c.Splat(i->shape(), 1), a);
}

// A ^ 0.5 => sqrt(A); for -0 and -inf the two differ
HloInstruction* PowerHalf(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Power(m::Any(&a), m::Splat(0.5))) || !IsFloating(i) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kSqrt, a);
}

// exp(A) ^ B => exp(A * B). Of A = inf and B = 0 it makes a NaN of 1.
HloInstruction* PowerExp(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Power(m::Exp(m::Any(&a)).WithOneUser(), m::Any(&b))) || !IsFloating(i) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kExp, c.Binary(HloOpcode::kMultiply, a, b));
}

// log(exp(A)) => A
HloInstruction* LogExp(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Log(m::Exp(m::Any(&a)))) || !IsRealPower(i)) return nullptr;
  return c.ReplaceWith(a);
}

// log(sqrt(A)) => log(A) * 0.5
HloInstruction* LogSqrt(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Log(m::Sqrt(m::Any(&a)).WithOneUser())) || !IsRealPower(i) || !c.Allow()) return nullptr;
  HloInstruction* half = c.Splat(i->shape(), 0.5);
  return c.Binary(HloOpcode::kMultiply, c.Unary(HloOpcode::kLog, a), half);
}

// log(rsqrt(A)) => log(A) * -0.5
HloInstruction* LogRsqrt(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Log(m::Rsqrt(m::Any(&a)).WithOneUser())) || !IsRealPower(i) || !c.Allow()) return nullptr;
  HloInstruction* half = c.Splat(i->shape(), -0.5);
  return c.Binary(HloOpcode::kMultiply, c.Unary(HloOpcode::kLog, a), half);
}

// log(A ^ B) => B * log|A|; it hides the NaN of a negative A with an odd B
HloInstruction* LogPower(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Log(m::Power(m::Any(&a), m::Any(&b)).WithOneUser())) || !IsRealPower(i) || !c.Allow())
    return nullptr;
  return c.Binary(HloOpcode::kMultiply, b, c.Unary(HloOpcode::kLog, c.Unary(HloOpcode::kAbs, a)));
}

// sqrt(A * A) => |A|
HloInstruction* SqrtSquare(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Sqrt(m::Multiply(m::Any(&a), m::Same(&a)))) || !IsRealPower(i) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kAbs, a);
}

// rsqrt(1 / A) => sqrt(A)
HloInstruction* RsqrtReciprocal(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Rsqrt(m::Divide(m::Splat(1), m::Any(&a)).WithOneUser())) || !IsRealPower(i) || !c.Allow())
    return nullptr;
  return c.Unary(HloOpcode::kSqrt, a);
}

// 1 ^ A => 1, for NaN too
HloInstruction* PowerOfOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* one;
  if (!Match(i, m::Power(m::Splat(&one, 1), m::Any())) || !IsRealPower(i)) return nullptr;
  return c.ReplaceWith(one);
}

// rsqrt(A ^ -2) => A; for negative A the two differ
HloInstruction* RsqrtPowerMinusTwo(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Rsqrt(m::Power(m::Any(&a), m::Splat(-2)))) || !IsRealPower(i)) return nullptr;
  return IsNonNegative(a) ? c.ReplaceWith(a) : c.Allow() ? c.Unary(HloOpcode::kAbs, a) : nullptr;
}

// exp(log(A)) => A, and so expm1 and log1p, both ways
HloInstruction* Inverse(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  using O = HloOpcode;
  const bool inverse = (i->opcode() == O::kExp && inner->opcode() == O::kLog) ||
                       (i->opcode() == O::kExpm1 && inner->opcode() == O::kLog1p) ||
                       (i->opcode() == O::kLog1p && inner->opcode() == O::kExpm1);
  return inverse && IsRealPower(i) ? c.ReplaceWith(inner->operand(0)) : nullptr;
}

// cos(-A) => cos(A), and so cosh; of |A| too
HloInstruction* Even(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if ((inner->opcode() != HloOpcode::kNegate && inner->opcode() != HloOpcode::kAbs) || !IsRealPower(i) ||
      IsComplex(inner->operand(0)->shape().element_type()) || !c.Allow()) {
    return nullptr;
  }
  return c.Unary(i->opcode(), inner->operand(0));
}

constexpr Rule kPowerRules[] = {
    {HloOpcode::kPower, "power-zero", "A ^ 0 => 1", kExact, kExact, PowerZero},
    {HloOpcode::kPower, "power-one", "A ^ 1 => A", kExact, kExact, PowerOne},
    {HloOpcode::kPower, "power-two", "A ^ 2 => A * A", kExact, kRounding, PowerTwo},
    {HloOpcode::kPower, "power-three", "A ^ 3 => A * (A * A)", kExact, kRounding, PowerThree},
    {HloOpcode::kPower, "power-minus-one", "A ^ -1 => 1 / A, float", kRounding, kRounding, PowerMinusOne},
    {HloOpcode::kPower, "power-half", "A ^ 0.5 => sqrt(A)", kFast, kFast, PowerHalf},
    {HloOpcode::kPower, "power-exp", "exp(A) ^ B => exp(A * B)", kFast, kFast, PowerExp},
    {HloOpcode::kLog, "log-exp", "log(exp(A)) => A", kFast, kFast, LogExp},
    {HloOpcode::kLog, "log-sqrt", "log(sqrt(A)) => log(A) * 0.5", kRounding, kRounding, LogSqrt},
    {HloOpcode::kLog, "log-rsqrt", "log(rsqrt(A)) => log(A) * -0.5", kRounding, kRounding, LogRsqrt},
    {HloOpcode::kLog, "log-power", "log(A ^ B) => B * log|A|", kFast, kFast, LogPower},
    {HloOpcode::kSqrt, "sqrt-square", "sqrt(A * A) => |A|", kFast, kFast, SqrtSquare},
    {HloOpcode::kRsqrt, "rsqrt-reciprocal", "rsqrt(1 / A) => sqrt(A)", kFast, kFast, RsqrtReciprocal},
    {HloOpcode::kPower, "power-of-one", "1 ^ A => 1", kExact, kExact, PowerOfOne},
    {HloOpcode::kRsqrt, "rsqrt-power-minus-two", "rsqrt(A ^ -2) => |A|", kFast, kFast, RsqrtPowerMinusTwo},
    {HloOpcode::kExp, "exp-log", "exp(log(A)) => A", kFast, kFast, Inverse},
    {HloOpcode::kExpm1, "expm1-log1p", "expm1(log1p(A)) => A", kFast, kFast, Inverse},
    {HloOpcode::kLog1p, "log1p-expm1", "log1p(expm1(A)) => A", kFast, kFast, Inverse},
    {HloOpcode::kCos, "cosine-even", "cos(-A) => cos(A)", kRounding, kRounding, Even},
    {HloOpcode::kCosh, "cosh-even", "cosh(-A) => cosh(A)", kRounding, kRounding, Even},
};

}  // namespace

std::span<const Rule> PowerRules() { return kPowerRules; }

}  // namespace hloir::rules
