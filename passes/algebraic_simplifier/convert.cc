// Rules of convert, bitcast-convert and reduce-precision.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {

namespace {

namespace m = match;

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
  // anyway. But integers (true, which is 1 and out of range of s1, among them) wrap around, and floats saturate.
  const PrimitiveType to = i->shape().element_type();
  if (!IsFloating(a) && IsFloating(middle) && IsInteger(to) && !HoldsAllOf(to, a->shape().element_type()))
    return nullptr;
  if (!c.Allow()) return nullptr;
  return c.Convert(a, to);
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
  return c.Add(HloOpcode::kBitcastConvert, i->shape(), {a}, NoAttributes{});
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

// convert(convert(A) + convert(B)) => A + B, integers back to the type that they came from; and so -, *, &, |, ^
HloInstruction* ArithmeticInWider(HloInstruction* i, RuleContext& c) {
  HloInstruction* op = i->operand(0);
  if (!IsOneOf(op->opcode(), HloOpcode::kAdd, HloOpcode::kSubtract, HloOpcode::kMultiply, HloOpcode::kAnd,
               HloOpcode::kOr, HloOpcode::kXor))
    return nullptr;
  if (op->user_count() != 1 || !IsIntegral(i) || !IsIntegral(op)) return nullptr;
  for (const HloInstruction* operand : op->operands()) {
    if (operand->opcode() != HloOpcode::kConvert ||
        operand->operand(0)->shape().element_type() != i->shape().element_type()) {
      return nullptr;
    }
  }
  // The low bits of the result come from the low bits of the operands alone.
  if (BitWidth(op->shape().element_type()) < BitWidth(i->shape().element_type()) || !c.Allow()) return nullptr;
  return c.Binary(op->opcode(), op->operand(0)->operand(0), op->operand(1)->operand(0));
}

// convert(convert(A)) => convert(A), integers, each no wider than the one before
HloInstruction* ConvertNarrowing(HloInstruction* i, RuleContext& c) {
  HloInstruction *a, *middle;
  if (!Match(i, m::Convert(m::Convert(&middle, m::Any(&a)))) || !IsIntegral(a) || !IsIntegral(middle) ||
      !IsIntegral(i)) {
    return nullptr;
  }
  const int from = BitWidth(a->shape().element_type()), between = BitWidth(middle->shape().element_type()),
            to = BitWidth(i->shape().element_type());
  if (to > between || between > from || a->shape().element_type() == i->shape().element_type() || !c.Allow())
    return nullptr;
  return c.Convert(a, i->shape().element_type());
}

// convert(iota) => iota, of a type that holds all its elements
HloInstruction* ConvertIota(HloInstruction* i, RuleContext& c) {
  HloInstruction* iota = i->operand(0);
  if (iota->opcode() != HloOpcode::kIota || !IsIntegral(iota)) return nullptr;
  const int64_t size = iota->shape().dimensions(iota->attributes<IotaAttributes>().iota_dimension);
  for (const HloInstruction* of : {iota, i}) {
    const PrimitiveType type = of->shape().element_type();
    const FloatFormat format = GetFloatFormat(type);
    const int bits = IsInteger(type) ? BitWidth(type) - IsSigned(type) : IsFloat(type) ? format.mantissa_bits + 1 : 0;
    if (bits == 0 || (bits < 63 && size > int64_t{1} << bits) ||
        (IsFloat(type) && (bits >= format.bias || !format.has_zero))) {
      return nullptr;
    }
  }
  if (!c.Allow()) return nullptr;
  return c.Add(HloOpcode::kIota, i->shape(), {}, iota->attributes<IotaAttributes>());
}

// reduce-precision(convert(A)) => convert(A), to a format that holds all of A's values
HloInstruction* ReducePrecisionOfConvert(HloInstruction* i, RuleContext& c) {
  HloInstruction* convert = i->operand(0);
  if (convert->opcode() != HloOpcode::kConvert || !IsFloating(i) || !IsFloating(convert->operand(0))) return nullptr;
  const auto& to = i->attributes<ReducePrecisionAttributes>();
  const PrimitiveType from = convert->operand(0)->shape().element_type();
  const FloatFormat f = GetFloatFormat(from);
  // reduce-precision flushes denormals of its format: its exponents must reach further than A's.
  const bool holds = to.mantissa_bits >= f.mantissa_bits && to.exponent_bits > f.exponent_bits && f.has_infinity;
  return holds && HoldsAllOf(i->shape().element_type(), from) ? c.ReplaceWith(convert) : nullptr;
}

constexpr Rule kConvertRules[] = {
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
    {HloOpcode::kConvert, "convert-arithmetic-in-wider", "convert(convert(A) + convert(B)) => A + B, integer", kExact,
     kExact, ArithmeticInWider},
    {HloOpcode::kConvert, "convert-narrowing", "convert(convert(A)) => convert(A), integers ever narrower", kExact,
     kExact, ConvertNarrowing},
    {HloOpcode::kConvert, "convert-iota", "convert(iota) => iota, of a type that holds its elements", kExact, kExact,
     ConvertIota},
    {HloOpcode::kReducePrecision, "reduce-precision-of-convert",
     "reduce-precision(convert(A)) => convert(A), if the format holds A's type", kExact, kExact,
     ReducePrecisionOfConvert},
};

}  // namespace

std::span<const Rule> ConvertRules() { return kConvertRules; }

}  // namespace hloir::rules
