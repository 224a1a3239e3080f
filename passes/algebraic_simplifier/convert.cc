// Rules of convert, bitcast-convert and reduce-precision.
#include "algebraic_simplifier/rules.h"

namespace hloir::algebraic_simplifier {
namespace {

namespace m = match;

// Formats without infinity use the exponent that the others keep for it.
int LargestExponent(const FloatFormat& f) { return (1 << f.exponent_bits) - (f.has_infinity ? 2 : 1) - f.bias; }

// Does `to` hold every value of `from`, so that a detour through it changes nothing?
bool HoldsAllOf(PrimitiveType to, PrimitiveType from) {
  if (to == from) return true;
  if (from == PrimitiveType::PRED) return IsInteger(to) ? BitWidth(to) > 1 : IsFloat(to) && GetFloatFormat(to).has_zero;
  if (to == PrimitiveType::PRED || IsComplex(from) != IsComplex(to)) return false;
  if (IsComplex(from)) return to == PrimitiveType::C128;
  if (IsInteger(from)) {
    const bool sign = IsSigned(from);
    if (IsInteger(to))
      return sign == IsSigned(to) ? BitWidth(to) >= BitWidth(from) : !sign && BitWidth(to) > BitWidth(from);
    // A float that has enough digits, and the exponents for them.
    FloatFormat f = GetFloatFormat(to);
    const int digits = BitWidth(from) - sign;
    return f.has_sign && f.has_zero && digits <= f.mantissa_bits + 1 && digits < f.bias;
  }
  if (!IsFloat(from) || !IsFloat(to)) return false;
  FloatFormat a = GetFloatFormat(from), b = GetFloatFormat(to);
  // The smallest subnormal and the largest number both must fit.
  return b.mantissa_bits >= a.mantissa_bits && b.bias + b.mantissa_bits >= a.bias + a.mantissa_bits &&
         LargestExponent(b) >= LargestExponent(a) && (!a.has_sign || b.has_sign) &&
         (!a.has_infinity || b.has_infinity) && (!a.has_nan || b.has_nan) &&
         (!a.has_negative_zero || b.has_negative_zero) && b.has_zero && b.has_infinity;
}

// convert(A) => A, same type
HloInstruction* ConvertSame(HloInstruction* i, RuleContext& c) {
  if (i->operand(0)->shape().element_type() != i->shape().element_type()) return nullptr;
  return c.ReplaceWith(i->operand(0));
}

// convert(convert(A)) => A, back to A's type through one that holds all its values
HloInstruction* ConvertRoundTrip(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *middle;
  if (!Match(i, m::Convert(m::Convert(&middle, m::Any(&a)))) ||
      a->shape().element_type() != i->shape().element_type() ||
      !HoldsAllOf(middle->shape().element_type(), a->shape().element_type())) {
    return nullptr;
  }
  return c.ReplaceWith(a);
}

// convert(convert(A)) => convert(A), through a type that holds all of A's values
HloInstruction* ConvertConvert(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *middle;
  if (!Match(i, m::Convert(m::Convert(&middle, m::Any(&a)))) ||
      a->shape().element_type() == i->shape().element_type() ||
      !HoldsAllOf(middle->shape().element_type(), a->shape().element_type())) {
    return nullptr;
  }
  // From f16 through f32, a NaN or an infinity gives the same integer either way; complex drops its imaginary part
  // anyway.
  if (!c.Allow()) return nullptr;
  return c.Convert(a, i->shape().element_type());
}

// bitcast-convert(A) => A, same type
HloInstruction* BitcastConvertSame(HloInstruction* i, RuleContext& c) {
  if (!i->operand(0)->shape().Compatible(i->shape())) return nullptr;
  return c.ReplaceWith(i->operand(0));
}

// bitcast-convert(bitcast-convert(A)) => bitcast-convert(A)
HloInstruction* BitcastConvertTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, m::BitcastConvert(m::BitcastConvert(m::Any(&a)))) || !a->shape().SameDimensions(i->shape()) ||
      !a->shape().SameDimensions(i->operand(0)->shape()) || !c.Allow()) {
    return nullptr;
  }
  return c.Add(HloOpcode::kBitcastConvert, i->shape(), {a}, std::monostate{});
}

// reduce-precision(A) => A, to a format that holds all of A's values
HloInstruction* ReducePrecisionNothing(HloInstruction* i, RuleContext& c) {
  const auto& to = i->attributes<ReducePrecisionAttributes>();
  if (!IsFloating(i)) return nullptr;
  FloatFormat f = GetFloatFormat(i->shape().element_type());
  if (to.exponent_bits < f.exponent_bits || to.mantissa_bits < f.mantissa_bits) return nullptr;
  return c.ReplaceWith(i->operand(0));
}

// reduce-precision(reduce-precision(A)) => reduce-precision(A), same format
HloInstruction* ReducePrecisionTwice(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != i->opcode()) return nullptr;
  const auto &x = i->attributes<ReducePrecisionAttributes>(), &y = inner->attributes<ReducePrecisionAttributes>();
  if (x.exponent_bits != y.exponent_bits || x.mantissa_bits != y.mantissa_bits) return nullptr;
  return c.ReplaceWith(inner);
}

constexpr Rule kRules[] = {
    {HloOpcode::kConvert, "convert-same", "convert(A) => A, same type", kExact, kExact, ConvertSame},
    {HloOpcode::kConvert, "convert-round-trip", "convert(convert(A)) => A, A's type through a wider one", kExact,
     kExact, ConvertRoundTrip},
    {HloOpcode::kConvert, "convert-convert", "convert(convert(A)) => convert(A), through a wider type", kExact, kExact,
     ConvertConvert},
    {HloOpcode::kBitcastConvert, "bitcast-convert-same", "bitcast-convert(A) => A, same type", kExact, kExact,
     BitcastConvertSame},
    {HloOpcode::kBitcastConvert, "bitcast-convert-twice", "bitcast-convert(bitcast-convert(A)) => bitcast-convert(A)",
     kExact, kExact, BitcastConvertTwice},
    {HloOpcode::kReducePrecision, "reduce-precision-nothing", "reduce-precision(A) => A, if the format holds A's type",
     kExact, kExact, ReducePrecisionNothing},
    {HloOpcode::kReducePrecision, "reduce-precision-twice",
     "reduce-precision(reduce-precision(A)) => reduce-precision(A)", kExact, kExact, ReducePrecisionTwice},
};

}  // namespace

std::span<const Rule> ConvertRules() { return kRules; }

}  // namespace hloir::algebraic_simplifier
