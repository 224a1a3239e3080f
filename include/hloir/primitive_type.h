// PrimitiveType: the element types of HLO, their formats, and dispatch to their C++ storage types. The list itself is
// primitive_types.def.
//
// Threads: pure functions; any thread may call them.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "hloir/detail/check.h"

#pragma GCC visibility push(default)
namespace hloir {

// Enumerators have XLA's numbers, so that HloProto's can be cast.
enum class PrimitiveType : uint8_t {
  INVALID = 0,
#define HLOIR_TYPE(name, text, number, ...) name = number,
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
  TUPLE = 13,
  OPAQUE_TYPE = 14,
  TOKEN = 17,
  BUFFER = 34,
};

enum class TypeClass : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex };

// The NaN encodings of a float format.
enum class NanBits : uint8_t { kNone, kTopExponent, kAllOnes, kNegativeZero };

// The layout of a float format.
struct FloatFormat {
  int exponent_bits = 0, mantissa_bits = 0, bias = 0;
  bool has_sign = false, has_infinity = false, has_nan = false;
  bool has_negative_zero = false;  // fnuz: the bits of -0 are the one NaN
  bool has_zero = false;           // f8e8m0fnu has none
  NanBits nan = NanBits::kNone;
};

// The flavours in primitive_types.def.
namespace float_formats {
constexpr int UsualBias(int exponent_bits) { return (1 << (exponent_bits - 1)) - 1; }
constexpr FloatFormat NotFloat() { return {}; }
constexpr FloatFormat Ieee(int e, int m) {
  return {e, m, UsualBias(e), true, true, true, true, true, NanBits::kTopExponent};
}
constexpr FloatFormat Fn(int e, int m) {
  return {e, m, UsualBias(e), true, false, true, true, true, NanBits::kAllOnes};
}
constexpr FloatFormat Fnuz(int e, int m, int bias) {
  return {e, m, bias, true, false, true, false, true, NanBits::kNegativeZero};
}
constexpr FloatFormat Finite(int e, int m) {
  return {e, m, UsualBias(e), true, false, false, true, true, NanBits::kNone};
}
constexpr FloatFormat PowersOfTwo(int e) {
  return {e, 0, UsualBias(e), false, false, true, false, false, NanBits::kAllOnes};
}
}  // namespace float_formats

constexpr FloatFormat GetFloatFormat(PrimitiveType type) {
  using namespace float_formats;
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, storage, kind, format, numpy) \
  case PrimitiveType::name:                                                \
    return format;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: return {};
  }
}

// Conversions between f32 and f64 that keep a NaN's sign and the part of its payload that fits. All machines convert
// this way except RISC-V, which has only one NaN.
inline double FloatToDouble(float value) {
#ifdef __riscv
  if (value != value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    return __builtin_bit_cast(double,
                              uint64_t{bits >> 31} << 63 | uint64_t{0x7FF8} << 48 | uint64_t{bits & 0x7FFFFF} << 29);
  }
#endif
  return static_cast<double>(value);
}
inline float DoubleToFloat(double value) {
#ifdef __riscv
  if (value != value) {
    const uint64_t bits = __builtin_bit_cast(uint64_t, value);
    return __builtin_bit_cast(float, static_cast<uint32_t>(bits >> 63 << 31 | 0x7FC00000 | (bits >> 29 & 0x7FFFFF)));
  }
#endif
  return static_cast<float>(value);
}

// One element of a float type narrower than f32, held as its bits (in the low bits, for types under a byte).
template <PrimitiveType P>
struct SmallFloat {
  using Bits = std::conditional_t<P == PrimitiveType::F16 || P == PrimitiveType::BF16, uint16_t, uint8_t>;
  Bits bits = 0;
  SmallFloat() = default;
  inline explicit SmallFloat(float value);
  inline explicit SmallFloat(double value);
  template <class T>
  requires(std::is_integral_v<T>) explicit SmallFloat(T value) : SmallFloat(static_cast<double>(value)) {}
  inline explicit operator float() const;
  explicit operator double() const { return FloatToDouble(static_cast<float>(*this)); }
  static SmallFloat FromBits(Bits bits) {
    SmallFloat f;
    f.bits = bits;
    return f;
  }
};
using Half = SmallFloat<PrimitiveType::F16>;
using BFloat16 = SmallFloat<PrimitiveType::BF16>;

// Encodes `value` in `format`, rounded once to nearest even (overflow: infinity, or NaN in formats without infinity, or
// the largest number in formats with neither), and decodes bits.
uint16_t EncodeSmallFloat(PrimitiveType type, double value);
float DecodeSmallFloat(PrimitiveType type, uint16_t bits);

template <PrimitiveType P>
SmallFloat<P>::SmallFloat(float value) : bits(static_cast<Bits>(EncodeSmallFloat(P, FloatToDouble(value)))) {}
template <PrimitiveType P>
SmallFloat<P>::SmallFloat(double value) : bits(static_cast<Bits>(EncodeSmallFloat(P, value))) {}
template <PrimitiveType P>
SmallFloat<P>::operator float() const {
  if constexpr (P == PrimitiveType::BF16) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    return __builtin_bit_cast(float, wide);
  } else {
    return DecodeSmallFloat(P, bits);
  }
}

// The C++ type that stores one element.
template <PrimitiveType P>
struct StorageTypeOf;
#define HLOIR_TYPE(name, text, number, bits, storage, ...) \
  template <>                                              \
  struct StorageTypeOf<PrimitiveType::name> {              \
    using type = storage;                                  \
  };
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
template <PrimitiveType P>
using StorageType = typename StorageTypeOf<P>::type;

// True if a literal of that type stores its elements as T.
template <class T>
constexpr bool IsStoredAs(PrimitiveType type) {
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, storage, ...) \
  case PrimitiveType::name:                                \
    return std::is_same_v<T, storage>;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: return false;
  }
}

// NumPy's name of the dtype: "float32", or "ml_dtypes.bfloat16" for one of that package; "" for no array type.
std::string_view NumpyName(PrimitiveType type);
// The name of the type in HLO text ("f32", "token", …), and the reverse, which is nullopt for other text.
std::string_view PrimitiveTypeName(PrimitiveType type);
std::optional<PrimitiveType> ParsePrimitiveType(std::string_view text);
std::optional<PrimitiveType> PrimitiveTypeFromNumber(int64_t number);

constexpr TypeClass GetTypeClass(PrimitiveType type) {
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, storage, kind, ...) \
  case PrimitiveType::name:                                      \
    return TypeClass::kind;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: return TypeClass::kNone;
  }
}
// Bits of one element's value; 0 for types that are not array types.
constexpr int BitWidth(PrimitiveType type) {
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, ...) \
  case PrimitiveType::name:                       \
    return bits;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: return 0;
  }
}
// Bytes that one element takes in a Literal; types under a byte take one.
constexpr int StorageBytes(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

constexpr bool IsArrayType(PrimitiveType type) { return GetTypeClass(type) != TypeClass::kNone; }
constexpr bool IsFloat(PrimitiveType type) { return GetTypeClass(type) == TypeClass::kFloat; }
constexpr bool IsComplex(PrimitiveType type) { return GetTypeClass(type) == TypeClass::kComplex; }
constexpr bool IsSigned(PrimitiveType type) { return GetTypeClass(type) == TypeClass::kSigned; }
constexpr bool IsUnsigned(PrimitiveType type) { return GetTypeClass(type) == TypeClass::kUnsigned; }
constexpr bool IsInteger(PrimitiveType type) { return IsSigned(type) || IsUnsigned(type); }
// f32 for c64, f64 for c128; other types unchanged.
constexpr PrimitiveType ComplexComponentType(PrimitiveType type) {
  return type == PrimitiveType::C64 ? PrimitiveType::F32 : type == PrimitiveType::C128 ? PrimitiveType::F64 : type;
}

// An element type as a type, for PrimitiveTypeSwitch.
template <PrimitiveType P>
struct TypeTag {
  static constexpr PrimitiveType kType = P;
  using Storage = StorageType<P>;
};

// Calls f(TypeTag<P>{}), P being `type`, which must be an array type (IsArrayType).
template <class F>
decltype(auto) PrimitiveTypeSwitch(PrimitiveType type, F&& f) {
  switch (type) {
#define HLOIR_TYPE(name, ...) \
  case PrimitiveType::name:   \
    return f(TypeTag<PrimitiveType::name>{});
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: internal::CheckFailed(__builtin_FILE(), __builtin_LINE(), "the type is not an element type of arrays");
  }
}

}  // namespace hloir
#pragma GCC visibility pop
