// Rules of divide and remainder. HLO defines integer division by zero (-1, all ones) and remainder by zero (the
// dividend), and that of the smallest number by -1 (itself, and 0); each rule for integers keeps to that.
#include <algorithm>
#include <cmath>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

namespace m = match;

// The splat's value if 1 / value is exact in its own type, so that dividing and multiplying round alike; else 0.
double ExactReciprocal(const HloInstruction* splat) {
  const HloInstruction* constant = SplatConstant(splat);
  if (constant == nullptr || !IsFloat(constant->shape().element_type())) return 0;
  double value = constant->literal().GetAsDouble(0);
  int exponent;
  if (!std::isfinite(value) || std::fabs(std::frexp(value, &exponent)) != 0.5) return 0;
  Literal reciprocal(Shape::Scalar(constant->shape().element_type()));
  reciprocal.SetFromDouble(0, 1 / value);
  return reciprocal.GetAsDouble(0) == 1 / value ? 1 / value : 0;
}

bool IsRealDivide(const HloInstruction* i) { return IsFloating(i); }
// In f16 the product of two ordinary numbers may be infinite, or have lost its digits.
bool HoldsProducts(const HloInstruction* i) {
  return IsRealDivide(i) && GetFloatFormat(i->shape().element_type()).bias >= GetFloatFormat(PrimitiveType::BF16).bias;
}

bool IsOfConstants(const HloInstruction* i) {
  return i->IsConstant() ||
         (i->operand_count() > 0 && std::all_of(i->operands().begin(), i->operands().end(),
                                                [](auto* operand) { return IsConstantLike(operand); }));
}

// A / 1 => A
HloInstruction* DivideOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Divide(m::Any(&a), m::Splat(1))) || IsComplex(i->shape().element_type())) return nullptr;
  return c.ReplaceWith(a);
}

// A / -1 => -A
HloInstruction* DivideMinusOne(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::Divide(m::Any(&a), m::Splat(-1))) || IsComplex(i->shape().element_type()) || !c.Allow())
    return nullptr;
  return c.Unary(HloOpcode::kNegate, a);
}

// A / 2^K => A >> K, unsigned
HloInstruction* DividePowerOfTwo(HloInstruction* i, RuleContext& c) {
  int exponent = PowerOfTwoExponent(i->operand(1));
  if (exponent <= 0 || !IsUnsigned(i->shape().element_type()) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kShiftRightLogical, i->operand(0), c.Splat(i->shape(), exponent));
}

// A / C => A * (1 / C), where 1 / C is exact
HloInstruction* DivideExactReciprocal(HloInstruction* i, RuleContext& c) {
  double reciprocal = ExactReciprocal(i->operand(1));
  if (reciprocal == 0 || IsConstantLike(i->operand(0)) || !c.Allow("C is a power of two")) return nullptr;
  return c.Binary(HloOpcode::kMultiply, i->operand(0), c.Splat(i->shape(), reciprocal));
}

// A / C => A * (1 / C)
HloInstruction* DivideConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *constant;
  if (!Match(i, m::Divide(m::Any(&a), m::Splat(&constant))) || !IsRealDivide(i) || IsConstantLike(a)) return nullptr;
  PrimitiveType type = i->shape().element_type();
  double value = SplatConstant(constant)->literal().GetAsDouble(0);
  Literal reciprocal(Shape::Scalar(type));
  reciprocal.SetFromDouble(0, 1 / value);
  // An overflow or a loss of all bits would be more than rounding.
  double rounded = reciprocal.GetAsDouble(0);
  if (!std::isfinite(rounded) || rounded == 0 || std::fabs(rounded * value - 1) > 0.125 || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kMultiply, a, c.SplatOf(i->shape(), std::move(reciprocal)));
}

// A / broadcast(B) => A * broadcast(1 / B); not for f16, where 1 / B may be infinite, nor for constants, as 1 / C may
// overflow (DivideConstant checks)
HloInstruction* DivideBroadcast(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *broadcast;
  if (!Match(i, m::Divide(m::Any(&a), m::Broadcast(&broadcast, m::Any(&b)))) || !HoldsProducts(i) || IsOfConstants(b) ||
      2 * b->shape().ElementCount() > i->shape().ElementCount() || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* reciprocal = c.Binary(HloOpcode::kDivide, c.Splat(b->shape(), 1), b);
  return c.Binary(HloOpcode::kMultiply, a, c.Broadcast(reciprocal, i->shape(), broadcast->dimensions()));
}

// exp(A) / exp(B) => exp(A - B)
HloInstruction* DivideExpExp(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Divide(m::Exp(m::Any(&a)).WithOneUser(), m::Exp(m::Any(&b)).WithOneUser())) || !c.Allow())
    return nullptr;
  return c.Unary(HloOpcode::kExp, c.Binary(HloOpcode::kSubtract, a, b));
}

// A / exp(B) => A * exp(-B); not of f16, where exp(-B) may be infinite
HloInstruction* DivideExp(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Divide(m::Any(&a), m::Exp(m::Any(&b)).WithOneUser())) || (IsRealDivide(i) && !HoldsProducts(i)) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kMultiply, a, c.Unary(HloOpcode::kExp, c.Unary(HloOpcode::kNegate, b)));
}

// A / pow(B, C) => A * pow(B, -C); not for integers, where pow(B, -C) is 0, nor for f16, where it may be infinite
HloInstruction* DividePower(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *p;
  if (!Match(i, m::Divide(m::Any(&a), m::Power(m::Any(&b), m::Any(&p)).WithOneUser())) || !HoldsProducts(i) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kMultiply, a, c.Binary(HloOpcode::kPower, b, c.Unary(HloOpcode::kNegate, p)));
}

// A / sqrt(B) => A * rsqrt(B)
HloInstruction* DivideSqrt(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Divide(m::Any(&a), m::Sqrt(m::Any(&b)).WithOneUser())) || !IsRealDivide(i) || !c.Allow())
    return nullptr;
  return c.Binary(HloOpcode::kMultiply, a, c.Unary(HloOpcode::kRsqrt, b));
}

// A / rsqrt(B) => A * sqrt(B)
HloInstruction* DivideRsqrt(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, m::Divide(m::Any(&a), m::Rsqrt(m::Any(&b)).WithOneUser())) || !IsRealDivide(i) || !c.Allow())
    return nullptr;
  return c.Binary(HloOpcode::kMultiply, a, c.Unary(HloOpcode::kSqrt, b));
}

// (A / B) / (C / D) => (A * D) / (B * C)
HloInstruction* DivideDivideDivide(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *x, *d;
  if (!Match(i, m::Divide(m::Divide(m::Any(&a), m::Any(&b)).WithOneUser(),
                          m::Divide(m::Any(&x), m::Any(&d)).WithOneUser())) ||
      !HoldsProducts(i) || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* below = c.Binary(HloOpcode::kMultiply, b, x);
  return c.Binary(HloOpcode::kDivide, c.Binary(HloOpcode::kMultiply, a, d), below);
}

// (A / B) / C => A / (B * C)
HloInstruction* DivideDivideLeft(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *d;
  if (!Match(i, m::Divide(m::Divide(m::Any(&a), m::Any(&b)).WithOneUser(), m::Any(&d))) || !HoldsProducts(i) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kDivide, a, c.Binary(HloOpcode::kMultiply, b, d));
}

// A / (B / C) => (A * C) / B
HloInstruction* DivideDivideRight(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b, *d;
  if (!Match(i, m::Divide(m::Any(&a), m::Divide(m::Any(&b), m::Any(&d)).WithOneUser())) || !HoldsProducts(i) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Binary(HloOpcode::kDivide, c.Binary(HloOpcode::kMultiply, a, d), b);
}

// (A % B) % B => A % B
HloInstruction* RemainderRepeated(HloInstruction* i, RuleContext& c) {
  HloInstruction *b, *inner;
  if (!Match(i, m::Remainder(m::Remainder(&inner, m::Any(), m::Any(&b)), m::Same(&b)))) return nullptr;
  return c.ReplaceWith(inner);
}

// A % 2^K => A & (2^K - 1), unsigned
HloInstruction* RemainderPowerOfTwo(HloInstruction* i, RuleContext& c) {
  int exponent = PowerOfTwoExponent(i->operand(1));
  if (exponent < 0 || exponent > 62 || !IsUnsigned(i->shape().element_type()) || !c.Allow()) return nullptr;
  Literal mask(Shape::Scalar(i->shape().element_type()));
  mask.SetFromInt64(0, (int64_t{1} << exponent) - 1);
  return c.Binary(HloOpcode::kAnd, i->operand(0), c.SplatOf(i->shape(), std::move(mask)));
}

// A % 1 => 0
HloInstruction* RemainderOne(HloInstruction* i, RuleContext& c) {
  if (!IsIntegral(i) || !Match(i, m::Remainder(m::Any(), m::Splat(1))) || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}

// iota % N => iota, where N is over the largest element
HloInstruction* RemainderIota(HloInstruction* i, RuleContext& c) {
  HloInstruction *iota, *n;
  if (!IsIntegral(i) || !Match(i, m::Remainder(m::Iota(&iota), m::Splat(&n)))) return nullptr;
  PrimitiveType type = i->shape().element_type();
  int64_t size = iota->shape().dimensions(iota->attributes<IotaAttributes>().iota_dimension);
  // No wrap in the iota itself, and no negative modulus.
  if (BitWidth(type) < 63 && size > int64_t{1} << (BitWidth(type) - IsSigned(type))) return nullptr;
  int64_t modulus = SplatConstant(n)->literal().GetAsInt64(0);
  if (modulus <= 0 || size > modulus) return nullptr;
  return c.ReplaceWith(iota);
}

// Negative? all ones : 0, for signed integers.
HloInstruction* SignBits(RuleContext& c, HloInstruction* a) {
  const int bits = BitWidth(a->shape().element_type());
  return c.Binary(HloOpcode::kShiftRightArithmetic, a, c.Splat(a->shape(), bits - 1));
}

// A / 2^K => (A + (A < 0 ? 2^K - 1 : 0)) >> K, signed: it rounds towards zero
HloInstruction* DivideSignedPowerOfTwo(HloInstruction* i, RuleContext& c) {
  const int exponent = PowerOfTwoExponent(i->operand(1)), bits = BitWidth(i->shape().element_type());
  if (exponent <= 0 || !IsSigned(i->shape().element_type()) || bits < 8 || IsConstantLike(i->operand(0)) ||
      !c.Allow()) {
    return nullptr;
  }
  HloInstruction* a = i->operand(0);
  HloInstruction* k = c.Splat(i->shape(), exponent);
  if (!IsNonNegative(a)) {
    HloInstruction* others = c.Splat(i->shape(), bits - exponent);
    HloInstruction* bias = c.Binary(HloOpcode::kShiftRightLogical, SignBits(c, a), others);
    a = c.Binary(HloOpcode::kAdd, a, bias);
  }
  return c.Binary(HloOpcode::kShiftRightArithmetic, a, k);
}

// A % 2^K => ((A + bias) & (2^K - 1)) - bias, bias = A < 0 ? 2^K - 1 : 0, signed: it has the sign of A
HloInstruction* RemainderSignedPowerOfTwo(HloInstruction* i, RuleContext& c) {
  const int exponent = PowerOfTwoExponent(i->operand(1)), bits = BitWidth(i->shape().element_type());
  if (exponent <= 0 || !IsSigned(i->shape().element_type()) || bits < 8 || IsConstantLike(i->operand(0)) ||
      !c.Allow()) {
    return nullptr;
  }
  HloInstruction* a = i->operand(0);
  Literal low_bits(Shape::Scalar(i->shape().element_type()));
  low_bits.SetFromInt64(0, (int64_t{1} << exponent) - 1);
  HloInstruction* mask = c.SplatOf(i->shape(), std::move(low_bits));
  if (IsNonNegative(a)) return c.Binary(HloOpcode::kAnd, a, mask);
  HloInstruction* others = c.Splat(i->shape(), bits - exponent);
  HloInstruction* bias = c.Binary(HloOpcode::kShiftRightLogical, SignBits(c, a), others);
  HloInstruction* sum = c.Binary(HloOpcode::kAdd, a, bias);
  return c.Binary(HloOpcode::kSubtract, c.Binary(HloOpcode::kAnd, sum, mask), bias);
}

// (-A) / (-B) => A / B, float
HloInstruction* DivideNegateNegate(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *b;
  if (!IsRealDivide(i) || !Match(i, m::Divide(m::Negate(m::Any(&a)), m::Negate(m::Any(&b)))) || !c.Allow())
    return nullptr;
  return c.Binary(HloOpcode::kDivide, a, b);
}

// (-A) / C => A / (-C), float
HloInstruction* DivideNegateConstant(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *constant;
  if (!IsRealDivide(i) || !Match(i, m::Divide(m::Negate(m::Any(&a)), m::Splat(&constant))) || !c.Allow())
    return nullptr;
  HloInstruction* negated = c.Unary(HloOpcode::kNegate, SplatConstant(constant));
  return c.Binary(HloOpcode::kDivide, a, c.BroadcastScalar(negated, i->shape()));
}

// (A / C1) / C2 => A / (C1 * C2), positive integers whose product the type holds
HloInstruction* DivideDivideConstants(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *x, *y;
  if (!IsIntegral(i) || !Match(i, m::Divide(m::Divide(m::Any(&a), m::Splat(&x)), m::Splat(&y)))) return nullptr;
  std::optional<int64_t> p = SplatInteger(x), q = SplatInteger(y);
  const PrimitiveType type = i->shape().element_type();
  int64_t product;
  if (!p || !q || *p <= 0 || *q <= 0 || __builtin_mul_overflow(*p, *q, &product)) return nullptr;
  const int bits = BitWidth(type) - IsSigned(type);
  if ((bits < 63 && product >> bits != 0) || !c.Allow()) return nullptr;
  Literal divisor(Shape::Scalar(type));
  divisor.SetFromInt64(0, product);
  return c.Binary(HloOpcode::kDivide, a, c.SplatOf(i->shape(), std::move(divisor)));
}

// The largest element of an iota of integers that does not wrap around; -1 for anything else.
int64_t LargestOfIota(const HloInstruction* iota) {
  if (iota->opcode() != HloOpcode::kIota || !IsIntegral(iota)) return -1;
  const PrimitiveType type = iota->shape().element_type();
  const int64_t size = iota->shape().dimensions(iota->attributes<IotaAttributes>().iota_dimension);
  const int bits = BitWidth(type) - IsSigned(type);
  return size > 0 && (bits >= 63 || size <= int64_t{1} << bits) ? size - 1 : -1;
}

// iota / N => 0, where N is over the largest element
HloInstruction* DivideIota(HloInstruction* i, RuleContext& c) {
  const int64_t largest = LargestOfIota(i->operand(0));
  std::optional<int64_t> n = SplatInteger(i->operand(1));
  if (largest < 0 || !n || *n <= largest || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}

// (iota + N) % N => iota % N, where the sum does not wrap around
HloInstruction* RemainderIotaPlus(HloInstruction* i, RuleContext& c) {
  HloInstruction *iota, *x, *y;
  if (!Match(i, m::Remainder(m::Add(m::Iota(&iota), m::Splat(&x)), m::Splat(&y)))) return nullptr;
  const int64_t largest = LargestOfIota(iota);
  std::optional<int64_t> p = SplatInteger(x), q = SplatInteger(y);
  int64_t sum;
  if (largest < 0 || !p || p != q || *p <= 0 || __builtin_add_overflow(largest, *p, &sum)) return nullptr;
  const PrimitiveType type = i->shape().element_type();
  const int bits = BitWidth(type) - IsSigned(type);
  if ((bits < 63 && sum >> bits != 0) || !c.Allow()) return nullptr;
  return c.Binary(HloOpcode::kRemainder, iota, y);
}

// A % -1 => 0, integer
HloInstruction* RemainderMinusOne(HloInstruction* i, RuleContext& c) {
  if (!IsIntegral(i) || !IsSigned(i->shape().element_type()) || !Match(i, m::Remainder(m::Any(), m::Splat(-1))) ||
      !c.Allow()) {
    return nullptr;
  }
  return c.Splat(i->shape(), 0);
}

constexpr Rule kDivideRules[] = {
    {HloOpcode::kDivide, "divide-one", "A / 1 => A", kExact, kExact, DivideOne},
    {HloOpcode::kDivide, "divide-minus-one", "A / -1 => -A", kExact, kExact, DivideMinusOne},
    {HloOpcode::kDivide, "divide-power-of-two", "A / 2^K => A >> K, unsigned", kExact, kExact, DividePowerOfTwo},
    {HloOpcode::kDivide, "divide-exact-reciprocal", "A / 2^K => A * 2^-K, float", kExact, kExact,
     DivideExactReciprocal},
    {HloOpcode::kDivide, "divide-constant", "A / C => A * (1 / C)", kRounding, kRounding, DivideConstant},
    {HloOpcode::kDivide, "divide-exp-exp", "exp(A) / exp(B) => exp(A - B)", kRounding, kRounding, DivideExpExp},
    {HloOpcode::kDivide, "divide-exp", "A / exp(B) => A * exp(-B)", kRounding, kRounding, DivideExp},
    {HloOpcode::kDivide, "divide-power", "A / pow(B, C) => A * pow(B, -C), float", kRounding, kRounding, DividePower},
    {HloOpcode::kDivide, "divide-sqrt", "A / sqrt(B) => A * rsqrt(B)", kRounding, kRounding, DivideSqrt},
    {HloOpcode::kDivide, "divide-rsqrt", "A / rsqrt(B) => A * sqrt(B)", kRounding, kRounding, DivideRsqrt},
    {HloOpcode::kDivide, "divide-divide-divide", "(A / B) / (C / D) => (A * D) / (B * C), float but f16", kRounding,
     kRounding, DivideDivideDivide},
    {HloOpcode::kDivide, "divide-divide-left", "(A / B) / C => A / (B * C), float but f16", kRounding, kRounding,
     DivideDivideLeft},
    {HloOpcode::kDivide, "divide-divide-right", "A / (B / C) => (A * C) / B, float but f16", kRounding, kRounding,
     DivideDivideRight},
    {HloOpcode::kDivide, "divide-broadcast", "A / broadcast(B) => A * broadcast(1 / B), float", kRounding, kRounding,
     DivideBroadcast},
    {HloOpcode::kRemainder, "remainder-repeated", "(A % B) % B => A % B", kExact, kExact, RemainderRepeated},
    {HloOpcode::kRemainder, "remainder-power-of-two", "A % 2^K => A & (2^K - 1), unsigned", kExact, kExact,
     RemainderPowerOfTwo},
    {HloOpcode::kRemainder, "remainder-one", "A % 1 => 0, integer", kExact, kExact, RemainderOne},
    {HloOpcode::kRemainder, "remainder-iota", "iota % N => iota, if N is over its largest element", kExact, kExact,
     RemainderIota},
    {HloOpcode::kDivide, "divide-signed-power-of-two", "A / 2^K => (A + (A < 0 ? 2^K - 1 : 0)) >> K, signed", kExact,
     kExact, DivideSignedPowerOfTwo},
    {HloOpcode::kDivide, "divide-negate-negate", "(-A) / (-B) => A / B, float", kExact, kExact, DivideNegateNegate},
    {HloOpcode::kDivide, "divide-negate-constant", "(-A) / C => A / (-C), float", kExact, kExact, DivideNegateConstant},
    {HloOpcode::kDivide, "divide-divide-constants", "(A / C1) / C2 => A / (C1 * C2), positive integers", kExact, kExact,
     DivideDivideConstants},
    {HloOpcode::kDivide, "divide-iota", "iota / N => 0, if N is over its largest element", kExact, kExact, DivideIota},
    {HloOpcode::kRemainder, "remainder-signed-power-of-two", "A % 2^K => ((A + bias) & (2^K - 1)) - bias, signed",
     kExact, kExact, RemainderSignedPowerOfTwo},
    {HloOpcode::kRemainder, "remainder-iota-plus", "(iota + N) % N => iota % N, if nothing wraps around", kExact,
     kExact, RemainderIotaPlus},
    {HloOpcode::kRemainder, "remainder-minus-one", "A % -1 => 0, integer", kExact, kExact, RemainderMinusOne},
};

}  // namespace

std::span<const Rule> DivideRules() { return kDivideRules; }

}  // namespace hloir::rules
