// PrimitiveType: the element types of HLO, what each is made of, and how to reach its C++ storage type.
// The list itself is primitive_types.def.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace hloir {

// Enumerators have XLA's numbers, so that HloProto's can be cast.
enum class PrimitiveType : uint8_t {
  INVALID = 0,
#define HLOIR_TYPE(name, text, number, bits, storage, kind) name = number,
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
  TUPLE = 13,
  OPAQUE_TYPE = 14,
  TOKEN = 17,
  BUFFER = 34,
};

enum class TypeClass : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex };

// How a float format is laid out. `finite`: no infinity (the fn, fnuz and fnu formats).
struct FloatFormat {
  int exponent_bits, mantissa_bits, bias;
  bool has_sign, has_infinity, has_nan;
  bool has_negative_zero;  // fnuz: the bits of -0 are the one NaN
  bool has_zero;           // f8e8m0fnu has none
};

constexpr FloatFormat GetFloatFormat(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::F16: return {5, 10, 15, true, true, true, true, true};
    case PrimitiveType::BF16: return {8, 7, 127, true, true, true, true, true};
    case PrimitiveType::F32: return {8, 23, 127, true, true, true, true, true};
    case PrimitiveType::F64: return {11, 52, 1023, true, true, true, true, true};
    case PrimitiveType::F8E5M2: return {5, 2, 15, true, true, true, true, true};
    case PrimitiveType::F8E4M3: return {4, 3, 7, true, true, true, true, true};
    case PrimitiveType::F8E4M3FN: return {4, 3, 7, true, false, true, true, true};
    case PrimitiveType::F8E4M3B11FNUZ: return {4, 3, 11, true, false, true, false, true};
    case PrimitiveType::F8E3M4: return {3, 4, 3, true, true, true, true, true};
    case PrimitiveType::F8E5M2FNUZ: return {5, 2, 16, true, false, true, false, true};
    case PrimitiveType::F8E4M3FNUZ: return {4, 3, 8, true, false, true, false, true};
    case PrimitiveType::F8E8M0FNU: return {8, 0, 127, false, false, true, false, false};
    case PrimitiveType::F4E2M1FN: return {2, 1, 1, true, false, false, true, true};
    case PrimitiveType::F6E3M2FN: return {3, 2, 3, true, false, false, true, true};
    case PrimitiveType::F6E2M3FN: return {2, 3, 1, true, false, false, true, true};
    default: return {};
  }
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
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  static SmallFloat FromBits(Bits bits) {
    SmallFloat f;
    f.bits = bits;
    return f;
  }
};
using Half = SmallFloat<PrimitiveType::F16>;
using BFloat16 = SmallFloat<PrimitiveType::BF16>;

// Bits of `format` for `value`, rounded once to nearest even (overflow: infinity, or NaN where there is no infinity,
// or the largest number where there is neither), and the value that bits stand for. In small_float.cc.
uint16_t EncodeSmallFloat(PrimitiveType type, double value);
float DecodeSmallFloat(PrimitiveType type, uint16_t bits);

template <PrimitiveType P>
SmallFloat<P>::SmallFloat(float value) : bits(static_cast<Bits>(EncodeSmallFloat(P, static_cast<double>(value)))) {}
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
#define HLOIR_TYPE(name, text, number, bits, storage, kind) \
  template <>                                               \
  struct StorageTypeOf<PrimitiveType::name> {               \
    using type = storage;                                   \
  };
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
template <PrimitiveType P>
using StorageType = typename StorageTypeOf<P>::type;

// HLO's word for the type ("f32", "token", …), and back. Text that names no type gives nullopt.
std::string_view PrimitiveTypeName(PrimitiveType type);
std::optional<PrimitiveType> ParsePrimitiveType(std::string_view text);
std::optional<PrimitiveType> PrimitiveTypeFromNumber(int64_t number);

constexpr TypeClass GetTypeClass(PrimitiveType type) {
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, storage, kind) \
  case PrimitiveType::name:                                 \
    return TypeClass::kind;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: return TypeClass::kNone;
  }
}
// Bits that one element means; 0 for what is not an array type.
constexpr int BitWidth(PrimitiveType type) {
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, storage, kind) \
  case PrimitiveType::name:                                 \
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

template <PrimitiveType P>
struct TypeTag {
  static constexpr PrimitiveType kType = P;
  using Storage = StorageType<P>;
};

// Calls f(TypeTag<P>{}) for the array type `type` is; for any other type, calls f(TypeTag<PRED>{}) never: the caller
// must have checked IsArrayType.
template <class F>
decltype(auto) PrimitiveTypeSwitch(PrimitiveType type, F&& f) {
  switch (type) {
#define HLOIR_TYPE(name, text, number, bits, storage, kind) \
  case PrimitiveType::name:                                 \
    return f(TypeTag<PrimitiveType::name>{});
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    default: __builtin_unreachable();
  }
}

}  // namespace hloir
