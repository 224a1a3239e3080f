// convert, bitcast-convert, bitcast, reduce-precision, stochastic-convert: other types, other bits, fewer bits.
// The conversion of values itself is src/ir/literal_convert.cc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "reference/evaluation.h"
#include "reference/index.h"
#include "wide/pairs.h"
#include "ir/element_bytes.h"
#include "support/endian.h"

namespace hloir::reference {
namespace {

// Elements as a stream of bits, each with the width of its type, low bits first, as 4-bit and 2-bit types are packed.
std::vector<uint8_t> PackBits(const Literal& literal) {
  const int bits = BitWidth(literal.shape().element_type());
  const int64_t count = literal.element_count();
  const auto* bytes = reinterpret_cast<const uint8_t*>(literal.untyped_data());
  if (bits >= 8) {
    std::vector<uint8_t> packed(static_cast<size_t>(literal.size_bytes()));
    CopyLittleEndian(packed.data(), bytes, packed.size(), NumberBytes(literal.shape().element_type()));
    return packed;
  }
  std::vector<uint8_t> packed(static_cast<size_t>((count * bits + 7) / 8));
  for (int64_t i = 0; i < count * bits; ++i) {
    const int bit = bytes[i / bits] >> (i % bits) & 1;
    packed[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(bit << (i % 8));
  }
  return packed;
}

void UnpackBits(const std::vector<uint8_t>& packed, Literal& literal) {
  const PrimitiveType type = literal.shape().element_type();
  const int bits = BitWidth(type);
  auto* bytes = reinterpret_cast<uint8_t*>(literal.untyped_data());
  if (type == PrimitiveType::PRED) {  // which is never anything but 0 or 1
    for (int64_t i = 0; i < std::min(static_cast<int64_t>(packed.size()), literal.element_count()); ++i)
      bytes[i] = packed[static_cast<size_t>(i)] != 0;
    return;
  }
  if (bits >= 8) {
    CopyLittleEndian(bytes, packed.data(), std::min(packed.size(), static_cast<size_t>(literal.size_bytes())),
                     NumberBytes(type));
    return;
  }
  const int64_t available = static_cast<int64_t>(packed.size()) * 8;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    int value = 0;
    for (int b = 0; b < bits && i * bits + b < available; ++b) {
      const int64_t at = i * bits + b;
      value |= (packed[static_cast<size_t>(at / 8)] >> (at % 8) & 1) << b;
    }
    if (IsSigned(type) && (value >> (bits - 1) & 1)) value -= 1 << bits;
    bytes[i] = static_cast<uint8_t>(value);
  }
}

// Strides of the array in memory order: the first dimension of minor_to_major varies fastest. Tiling is ignored,
// because both sides of a legal bitcast have the same tiles.
DimVector PhysicalStrides(const Shape& shape) {
  if (!shape.has_layout() || shape.layout().minor_to_major().size() != shape.dimensions().size()) {
    return RowMajorStrides(shape.dimensions());
  }
  DimVector strides(shape.dimensions().size());
  int64_t stride = 1;
  for (int64_t d : shape.layout().minor_to_major()) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= shape.dimensions(d);
  }
  return strides;
}

// Rounds to nearest even at `mantissa_bits`; then values beyond the exponent's range become infinity, or a zero of the
// same sign: there are no denormals. NaN is kept.
template <class T, class Bits>
T ReducePrecision(T x, int64_t exponent_bits, int64_t mantissa_bits) {
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr int kExponent = static_cast<int>(sizeof(T)) * 8 - 1 - kMantissa;
  if (!std::isfinite(x)) return x;
  Bits bits = std::bit_cast<Bits>(x);
  if (mantissa_bits < kMantissa) {
    const int dropped = kMantissa - static_cast<int>(mantissa_bits);
    const Bits lowest_kept = bits >> dropped & 1;
    bits += (Bits{1} << (dropped - 1)) - 1 + lowest_kept;  // a carry into the exponent is correct
    bits &= ~((Bits{1} << dropped) - 1);
  }
  if (exponent_bits < kExponent) {
    const int bias = (1 << (kExponent - 1)) - 1, small_bias = (1 << (exponent_bits - 1)) - 1;
    const Bits sign = bits & (Bits{1} << (kMantissa + kExponent));
    const int exponent = static_cast<int>((bits & ~sign) >> kMantissa) - bias;
    if (exponent > small_bias) bits = sign | ((Bits{1} << kExponent) - 1) << kMantissa;
    else if (exponent <= -small_bias) bits = sign;
  }
  return std::bit_cast<T>(bits);
}

// Rounds `x` down, or up with the probability of its fraction: if `random`, an integer with the bits of x's type, is
// below fraction * 2^bits. Values out of range saturate, NaN gives 0.
double StochasticRound(double x, uint64_t random, int random_bits) {
  if (!std::isfinite(x)) return x;
  const double magnitude = std::abs(x), whole = std::trunc(magnitude);
  const double threshold = std::trunc(std::ldexp(magnitude - whole, random_bits));
  const bool up = random < static_cast<uint64_t>(threshold);  // a double cannot hold all bits of a random number
  return std::copysign(up ? whole + 1 : whole, x);
}

}  // namespace

StatusOr<Value> EvaluateConvert(EvalContext& context) {
  const PrimitiveType from = context.operand(0).shape().element_type(), to = context.shape.element_type();
  const bool pair = (from == PrimitiveType::C128) != (to == PrimitiveType::C128);
  if (context.run.pairs() && pair) return ConvertPairs(context.operand(0), to);
  return context.operand(0).Convert(to);
}

// The same bits as another type. For different widths, the ratio is an added or removed minor-most dimension.
StatusOr<Value> EvaluateBitcastConvert(EvalContext& context) {
  Literal result(context.shape);
  UnpackBits(PackBits(context.operand(0)), result);
  return result;
}

// The same bytes under another shape: the one op for which layouts matter.
StatusOr<Value> EvaluateBitcast(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const Shape& from = context.instruction.operand(0)->shape();
  Literal physical(Shape::Array(from.element_type(), {operand.element_count()}));
  CopyRegion(from.dimensions(), operand, {0, RowMajorStrides(from.dimensions())}, physical, {0, PhysicalStrides(from)});
  const Shape& to = context.shape;
  Literal retyped(Shape::Array(to.element_type(), {to.ElementCount()}));
  UnpackBits(PackBits(physical), retyped);
  return ReadRegion(to, retyped, {0, PhysicalStrides(to)});
}

StatusOr<Value> EvaluateReducePrecision(EvalContext& context) {
  const auto& attributes = context.attributes<ReducePrecisionAttributes>();
  const bool pairs = context.run.pairs() && context.shape.element_type() == PrimitiveType::C128;
  const PrimitiveType type = pairs ? PrimitiveType::F64 : context.shape.element_type();
  if (!IsFloat(type) || attributes.exponent_bits < 1 || attributes.mantissa_bits < 0) {
    return InvalidArgument("reduce-precision takes floats, at least 1 exponent bit and no negative number of bits");
  }
  // A range that the type itself does not exceed is not reduced: f16's denormals survive exponent_bits=5.
  const FloatFormat format = GetFloatFormat(type);
  const int64_t exponent_bits = attributes.exponent_bits >= format.exponent_bits ? 64 : attributes.exponent_bits;
  const int64_t mantissa_bits = attributes.mantissa_bits >= format.mantissa_bits ? 64 : attributes.mantissa_bits;
  if (pairs) {
    Literal result = std::move(context.operands[0]).TakeLiteral();
    for (std::complex<double>& x : result.data<std::complex<double>>()) {
      const double once = mantissa_bits > 52 ? x.real() : RoundToOdd({x.real(), x.imag()});
      x = ReducePrecision<double, uint64_t>(once, exponent_bits, mantissa_bits);
    }
    return result;
  }
  if (type == PrimitiveType::F64) {
    Literal result = std::move(context.operands[0]).TakeLiteral();
    for (double& x : result.data<double>()) x = ReducePrecision<double, uint64_t>(x, exponent_bits, mantissa_bits);
    return result;
  }
  Literal wide = context.operand(0).Convert(PrimitiveType::F32);
  for (float& x : wide.data<float>()) x = ReducePrecision<float, uint32_t>(x, exponent_bits, mantissa_bits);
  return wide.Convert(type);
}

StatusOr<Value> EvaluateStochasticConvert(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const Literal& random = context.operand(1);
  const int random_bits = BitWidth(random.shape().element_type());
  Literal rounded(operand.shape().WithElementType(PrimitiveType::F64));
  for (int64_t i = 0; i < rounded.element_count(); ++i) {
    // Zero-extended: the random operand is unsigned.
    const uint64_t bits = static_cast<uint64_t>(random.GetAsInt64(i)) & (~uint64_t{0} >> (64 - random_bits));
    rounded.data<double>()[static_cast<size_t>(i)] = StochasticRound(operand.GetAsDouble(i), bits, random_bits);
  }
  return rounded.Convert(context.shape.element_type());
}

}  // namespace hloir::reference
