// Names of the element types, and the bits of the floats narrower than f32.
#include "hloir/primitive_type.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace hloir {

std::string_view PrimitiveTypeName(PrimitiveType type) {
  switch (type) {
#define HLOIR_TYPE(name, text, ...) \
  case PrimitiveType::name:         \
    return text;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    case PrimitiveType::TUPLE: return "tuple";
    case PrimitiveType::OPAQUE_TYPE: return "opaque";
    case PrimitiveType::TOKEN: return "token";
    case PrimitiveType::BUFFER: return "b";
    case PrimitiveType::INVALID: break;
  }
  return "invalid";
}

std::string_view NumpyName(PrimitiveType type) {
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, storage, kind, format, numpy) \
  case PrimitiveType::name:                                                \
    return numpy;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: return "";
  }
}

std::optional<PrimitiveType> ParsePrimitiveType(std::string_view text) {
  static constexpr std::pair<std::string_view, PrimitiveType> kNames[] = {
#define HLOIR_TYPE(name, text, ...) {text, PrimitiveType::name},
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
      {"token", PrimitiveType::TOKEN},
      {"opaque", PrimitiveType::OPAQUE_TYPE},
      {"opaque_type", PrimitiveType::OPAQUE_TYPE},
  };
  // A fast lookup, because every shape has such a word: length and first and last letter identify nearly all of them.
  constexpr auto kHash = [](std::string_view word) {
    return static_cast<size_t>(word.front() * 5 + word.back() * 3 + static_cast<int>(word.size()) * 64) % 256;
  };
  static constexpr auto kFirst = [kHash] {
    std::array<uint8_t, 256> first{};  // of a hash, counted from 1
    for (size_t i = std::size(kNames); i-- > 0;) first[kHash(kNames[i].first)] = static_cast<uint8_t>(i + 1);
    return first;
  }();
  static constexpr auto kNext = [kHash] {
    std::array<uint8_t, std::size(kNames)> next{};  // of the same hash
    for (size_t i = 0; i < std::size(kNames); ++i) {
      for (size_t k = std::size(kNames); k-- > i + 1;) {
        if (kHash(kNames[k].first) == kHash(kNames[i].first)) next[i] = static_cast<uint8_t>(k + 1);
      }
    }
    return next;
  }();
  if (text.empty()) return std::nullopt;
  for (size_t at = kFirst[kHash(text)]; at != 0; at = kNext[at - 1]) {
    if (kNames[at - 1].first == text) return kNames[at - 1].second;
  }
  return std::nullopt;
}

std::optional<PrimitiveType> PrimitiveTypeFromNumber(int64_t number) {
  if (number <= 0 || number > 63) return std::nullopt;
  PrimitiveType type = static_cast<PrimitiveType>(number);
  if (PrimitiveTypeName(type) == "invalid") return std::nullopt;
  return type;
}

namespace {

constexpr uint32_t AllOnes(const FloatFormat& f) { return (1u << (f.exponent_bits + f.mantissa_bits)) - 1; }

// The largest finite number of a format has all ones in exponent and mantissa, less the encodings of infinity and NaN.
uint32_t LargestFiniteBits(const FloatFormat& f) {
  switch (f.nan) {
    case NanBits::kTopExponent: return AllOnes(f) - (1u << f.mantissa_bits);
    case NanBits::kAllOnes: return AllOnes(f) - 1;
    case NanBits::kNegativeZero:
    case NanBits::kNone: break;
  }
  return AllOnes(f);
}

uint16_t QuietNan(const FloatFormat& f, bool negative) {
  const uint32_t sign = uint32_t{negative && f.has_sign} << (f.exponent_bits + f.mantissa_bits);
  const uint32_t sign_bit = 1u << (f.exponent_bits + f.mantissa_bits);
  switch (f.nan) {
    case NanBits::kTopExponent:
      return static_cast<uint16_t>(sign | (AllOnes(f) & ~((1u << f.mantissa_bits) - 1)) |
                                   (1u << (f.mantissa_bits - 1)));
    case NanBits::kAllOnes: return static_cast<uint16_t>(sign | AllOnes(f));
    case NanBits::kNegativeZero: return static_cast<uint16_t>(sign_bit);
    case NanBits::kNone: break;
  }
  return static_cast<uint16_t>(negative ? 0 : sign_bit);  // XLA's conversion gives a zero, of the other sign
}

// A format without zero is a bare power of two.
uint16_t EncodePowerOfTwo(const FloatFormat& f, double value) {
  const int nan = static_cast<int>(AllOnes(f));
  if (!(value > 0) || std::isinf(value)) return static_cast<uint16_t>(nan);
  int exponent;
  double mantissa = std::frexp(value, &exponent);  // value = mantissa * 2^exponent, mantissa in [0.5, 1)
  int e = exponent - 1;
  if (mantissa >= 0.75) ++e;  // to nearest, ties up
  return static_cast<uint16_t>(std::clamp(e + f.bias, 0, nan));
}

float DecodeSlow(PrimitiveType type, uint32_t bits) {
  const FloatFormat f = GetFloatFormat(type);
  if (!f.has_zero) {
    return bits == AllOnes(f) ? std::numeric_limits<float>::quiet_NaN()
                              : std::ldexp(1.0f, static_cast<int>(bits) - f.bias);
  }
  const uint32_t magnitude = bits & AllOnes(f);
  const bool negative = bits >> (f.exponent_bits + f.mantissa_bits) & 1;
  const uint32_t exponent = magnitude >> f.mantissa_bits, mantissa = magnitude & ((1u << f.mantissa_bits) - 1);
  if (!f.has_negative_zero && negative && magnitude == 0) return std::numeric_limits<float>::quiet_NaN();
  if (magnitude > LargestFiniteBits(f)) {
    if (f.has_infinity && mantissa == 0) return negative ? -INFINITY : INFINITY;
    // Keep the payload, at the top of f32's mantissa: a NaN read and written again stays the same.
    uint32_t nan = 0x7F800000u | (uint32_t{negative} << 31) | (mantissa << (23 - f.mantissa_bits));
    if ((nan & 0x7FFFFFu) == 0) nan |= 0x400000u;
    return __builtin_bit_cast(float, nan);
  }
  float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.mantissa_bits)
                              : std::ldexp(static_cast<float>(mantissa | (1u << f.mantissa_bits)),
                                           static_cast<int>(exponent) - f.bias - f.mantissa_bits);
  return negative ? -value : value;
}

template <PrimitiveType P>
const std::array<float, 256>& DecodeTable() {
  static const std::array<float, 256> kTable = [] {
    std::array<float, 256> table;
    for (uint32_t i = 0; i < 256; ++i) table[i] = DecodeSlow(P, i & ((1u << BitWidth(P)) - 1));
    return table;
  }();
  return kTable;
}

float DecodeHalf(uint32_t h) {
  uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 0x1F, mantissa = h & 0x3FF;
  if (exponent == 0) {
    float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  uint32_t bits =
      exponent == 31 ? (sign | 0x7F800000u | mantissa << 13) : (sign | (exponent + 112) << 23 | mantissa << 13);
  return __builtin_bit_cast(float, bits);
}

[[gnu::always_inline]] inline uint16_t Encode(const FloatFormat& f, double value) {
  if (!f.has_zero) return EncodePowerOfTwo(f, value);
  const uint64_t wide = __builtin_bit_cast(uint64_t, value);
  const bool negative = wide >> 63;
  const uint32_t sign = uint32_t{negative} << (f.exponent_bits + f.mantissa_bits);
  if (std::isnan(value)) {
    // Keep the part of the payload that fits, unless it is empty.
    uint32_t payload = static_cast<uint32_t>((wide & 0xFFFFFFFFFFFFFull) >> (52 - f.mantissa_bits));
    if (f.has_infinity && payload != 0) {
      uint32_t quiet = 1u << (f.mantissa_bits - 1);
      uint32_t top = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
      return static_cast<uint16_t>(sign | top | payload | (payload == 0 ? quiet : 0));
    }
    return QuietNan(f, negative);
  }
  const uint32_t largest = LargestFiniteBits(f);
  const uint32_t overflow = f.has_infinity ? largest + 1 : f.has_nan ? UINT32_MAX : largest;
  auto finish = [&](uint32_t magnitude) -> uint16_t {
    if (magnitude > largest) {
      if (overflow == UINT32_MAX) return QuietNan(f, negative);
      magnitude = overflow;
    }
    if (magnitude == 0 && !f.has_negative_zero) return 0;
    return static_cast<uint16_t>(sign | magnitude);
  };
  if (std::isinf(value)) return finish(largest + 1);
  const uint64_t magnitude64 = wide & ~(uint64_t{1} << 63);
  if (magnitude64 == 0) return finish(0);
  int exponent = static_cast<int>(magnitude64 >> 52) - 1023;
  if (exponent == -1023) return finish(0);  // a double denormal is far below every small format
  uint64_t mantissa = (magnitude64 & 0xFFFFFFFFFFFFFull) | (uint64_t{1} << 52);
  int biased = exponent + f.bias;
  int shift = 52 - f.mantissa_bits;
  if (biased <= 0) {
    shift += 1 - biased;
    biased = 0;
    if (shift > 54) return finish(0);
  }
  const uint64_t half = uint64_t{1} << (shift - 1), low = mantissa & ((uint64_t{1} << shift) - 1);
  mantissa >>= shift;
  if (low > half || (low == half && (mantissa & 1))) ++mantissa;  // may carry into the exponent, as it should
  // With an implicit one at bit mantissa_bits; adding it to (biased-1) puts it into the exponent field.
  uint64_t bits = biased == 0 ? mantissa : (static_cast<uint64_t>(biased - 1) << f.mantissa_bits) + mantissa;
  return finish(bits > UINT32_MAX ? UINT32_MAX - 1 : static_cast<uint32_t>(bits));
}

}  // namespace

uint16_t EncodeSmallFloat(PrimitiveType type, double value) {
  // The formats of large arrays are constants in the code for them.
  constexpr FloatFormat kHalf = GetFloatFormat(PrimitiveType::F16), kBrain = GetFloatFormat(PrimitiveType::BF16);
  switch (type) {
    case PrimitiveType::F16: return Encode(kHalf, value);
    case PrimitiveType::BF16: return Encode(kBrain, value);
    default: return Encode(GetFloatFormat(type), value);
  }
}

float DecodeSmallFloat(PrimitiveType type, uint16_t bits) {
  switch (type) {
    case PrimitiveType::F16: return DecodeHalf(bits);
    case PrimitiveType::BF16: return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
    default: break;
  }
  if (!IsFloat(type) || BitWidth(type) > 8) return 0;
  return PrimitiveTypeSwitch(type, [bits](auto tag) -> float {
    constexpr PrimitiveType kType = decltype(tag)::kType;
    if constexpr (IsFloat(kType) && BitWidth(kType) <= 8) return DecodeTable<kType>()[bits & 0xFF];
    else return 0;
  });
}

}  // namespace hloir
