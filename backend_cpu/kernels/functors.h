// A functor for each elementwise operation that computes one element: HLO's rules, so that full vectors and tails
// cannot differ. Plain code, which the compiler vectorizes in the loops of elementwise_kernels.h and reduce_kernels.h.
// Everything has internal linkage (why: isa/isas.def). Tests: tests/ops, by every instruction set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/kernel_table.h"

namespace hloir::cpu {
namespace {

template <TileType>
struct CppTypeOf;
template <>
struct CppTypeOf<TileType::kPred> {
  struct type {
    uint8_t v;
  };
};  // its own type: pred is not a u8
template <>
struct CppTypeOf<TileType::kS8> {
  using type = int8_t;
};
template <>
struct CppTypeOf<TileType::kU8> {
  using type = uint8_t;
};
template <>
struct CppTypeOf<TileType::kS16> {
  using type = int16_t;
};
template <>
struct CppTypeOf<TileType::kU16> {
  using type = uint16_t;
};
template <>
struct CppTypeOf<TileType::kS32> {
  using type = int32_t;
};
template <>
struct CppTypeOf<TileType::kU32> {
  using type = uint32_t;
};
template <>
struct CppTypeOf<TileType::kS64> {
  using type = int64_t;
};
template <>
struct CppTypeOf<TileType::kU64> {
  using type = uint64_t;
};
template <>
struct CppTypeOf<TileType::kF32> {
  using type = float;
};
template <>
struct CppTypeOf<TileType::kF64> {
  using type = double;
};
template <class Real>
struct Pair {
  Real re, im;
};
template <>
struct CppTypeOf<TileType::kC64> {
  using type = Pair<float>;
};
template <>
struct CppTypeOf<TileType::kC128> {
  using type = Pair<double>;
};
template <TileType P>
using Cpp = typename CppTypeOf<P>::type;
using Pred = Cpp<TileType::kPred>;

template <class T>
constexpr bool kIsPred = std::is_same_v<T, Pred>;
template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <class T>
constexpr bool kIsInt = std::is_integral_v<T>;
template <class T>
constexpr int kBits = sizeof(T) * 8;
template <class T>
struct UnsignedOf {
  using type = std::make_unsigned_t<T>;
};
template <>
struct UnsignedOf<float> {
  using type = uint32_t;
};
template <>
struct UnsignedOf<double> {
  using type = uint64_t;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::type;
template <class T>
using SignedBits = std::make_signed_t<Unsigned<T>>;
// Arithmetic that may overflow is done in an unsigned type of at least int's width.
template <class T>
using Wrap = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

// -NaN < -inf < … < -0 < +0 < … < inf < NaN, as integers.
template <class T>
inline SignedBits<T> TotalOrderKey(T x) {
  SignedBits<T> bits = __builtin_bit_cast(SignedBits<T>, x);
  return bits ^ static_cast<SignedBits<T>>(static_cast<Unsigned<T>>(bits >> (kBits<T> - 1)) >> 1);
}

// One operand. kHas<T>: true if the operation exists for T.
struct AbsFn {
  template <class T>
  static constexpr bool kHas = !kIsPred<T>;
  template <class T>
  static T Apply(T x) {
    if constexpr (std::is_same_v<T, float>) return __builtin_fabsf(x);
    else if constexpr (kIsFloat<T>) return __builtin_fabs(x);
    else if constexpr (std::is_signed_v<T>) return x < 0 ? static_cast<T>(Wrap<T>(0) - static_cast<Wrap<T>>(x)) : x;
    else return x;
  }
};
struct NegateFn {
  template <class T>
  static constexpr bool kHas = !kIsPred<T>;
  template <class T>
  static T Apply(T x) {
    if constexpr (kIsFloat<T>) return -x;
    else return static_cast<T>(Wrap<T>(0) - static_cast<Wrap<T>>(x));
  }
};
struct NotFn {
  template <class T>
  static constexpr bool kHas = !kIsFloat<T>;
  template <class T>
  static T Apply(T x) {
    if constexpr (kIsPred<T>) return {static_cast<uint8_t>(x.v ^ 1)};
    else return static_cast<T>(~x);
  }
};
struct SignFn {  // NaN and both zeros are their own sign
  template <class T>
  static constexpr bool kHas = !kIsPred<T>;
  template <class T>
  static T Apply(T x) {
    if constexpr (kIsFloat<T>) return x > 0 ? T(1) : x < 0 ? T(-1) : x;
    else if constexpr (std::is_signed_v<T>) return static_cast<T>((x > 0) - (x < 0));
    else return static_cast<T>(x != 0);
  }
};
#define HLOIR_FLOAT_FN(name, f32, f64)                       \
  struct name {                                              \
    template <class T>                                       \
    static constexpr bool kHas = kIsFloat<T>;                \
    template <class T>                                       \
    static T Apply(T x) {                                    \
      if constexpr (std::is_same_v<T, float>) return f32(x); \
      else return f64(x);                                    \
    }                                                        \
  };
HLOIR_FLOAT_FN(CeilFn, __builtin_ceilf, __builtin_ceil)
HLOIR_FLOAT_FN(FloorFn, __builtin_floorf, __builtin_floor)
HLOIR_FLOAT_FN(RoundEvenFn, __builtin_rintf, __builtin_rint)
HLOIR_FLOAT_FN(SqrtFn, __builtin_sqrtf, __builtin_sqrt)
#undef HLOIR_FLOAT_FN
struct RoundAfzFn {  // half away from zero: truncate, then add a step away from zero if the fraction is at least a half
  template <class T>
  static constexpr bool kHas = kIsFloat<T>;
  template <class T>
  static T Apply(T x) {
    T t, sign;
    if constexpr (std::is_same_v<T, float>) t = __builtin_truncf(x), sign = __builtin_copysignf(1, x);
    else t = __builtin_trunc(x), sign = __builtin_copysign(1, x);
    T rest = AbsFn::Apply(x - t);
    T away = rest >= T(0.5) ? t + sign : t;
    if constexpr (std::is_same_v<T, float>) return __builtin_copysignf(away, x);
    else return __builtin_copysign(away, x);
  }
};
struct RsqrtFn {
  template <class T>
  static constexpr bool kHas = kIsFloat<T>;
  template <class T>
  static T Apply(T x) {
    return T(1) / SqrtFn::Apply(x);
  }
};
struct ClzFn {
  template <class T>
  static constexpr bool kHas = kIsInt<T>;
  template <class T>
  static T Apply(T x) {
    if (x == 0) return static_cast<T>(kBits<T>);
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_clzll(static_cast<uint64_t>(x)));
    else return static_cast<T>(__builtin_clz(static_cast<uint32_t>(static_cast<Unsigned<T>>(x))) - (32 - kBits<T>));
  }
};
struct PopcntFn {
  template <class T>
  static constexpr bool kHas = kIsInt<T>;
  template <class T>
  static T Apply(T x) {
    uint64_t bits = static_cast<Unsigned<T>>(x);
#if defined(__s390x__) && !defined(__clang__)
    // GCC 12 miscompiles this loop there: it counts the bits of eight bytes as one number.
    asm("" : "+r"(bits));
#endif
    return static_cast<T>(__builtin_popcountll(bits));
  }
};
struct IsFiniteFn {
  template <class T>
  static constexpr bool kHas = kIsFloat<T>;
  template <class T>
  static Pred Apply(T x) {
    return {static_cast<uint8_t>(x - x == 0)};
  }
};
struct RoundToBf16Fn {
  template <class T>
  static constexpr bool kHas = std::is_same_v<T, float>;
  template <class T>
  static T Apply(T x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x), rounded = bits + 0x7fff + (bits >> 16 & 1);
    // Keeps NaN: rounding could clear its payload.
    return __builtin_bit_cast(float, (x == x ? rounded : bits | 0x00400000u) & 0xffff0000u);
  }
};

struct RoundToF16Fn {
  template <class T>
  static constexpr bool kHas = std::is_same_v<T, float>;
  template <class T>
  static T Apply(T x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x), magnitude = bits & 0x7fffffffu;
    // Halves keep 10 bits after the first one, but none below 2^-24: those that are in the last places of a number
    // 2^13 times as large as the first bit, of 2^-14 at least.
    const float first = __builtin_bit_cast(float, bits & 0x7f800000u), least = 0x1p-14f;
    const uint32_t large = __builtin_bit_cast(uint32_t, first > least ? first : least) + (13u << 23);
    const float places = __builtin_bit_cast(float, large),
                number = (__builtin_bit_cast(float, magnitude) + places) - places;
    const uint32_t infinity = 0x7f800000u | (x != x ? (bits & 0x007fe000u) | 0x00400000u : 0u);
    const uint32_t rounded = magnitude >= 0x477ff000u ? infinity : __builtin_bit_cast(uint32_t, number);
    return __builtin_bit_cast(float, rounded | (bits & 0x80000000u));
  }
};

// Two operands.
#define HLOIR_BINARY_FN(name, has, ...)  \
  struct name {                          \
    template <class T>                   \
    static constexpr bool kHas = has;    \
    template <class T>                   \
    static T Apply(T a, T b) __VA_ARGS__ \
  };
HLOIR_BINARY_FN(AddFn, true, {
  if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v | b.v)};
  else if constexpr (kIsFloat<T>) return a + b;
  else return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
})
HLOIR_BINARY_FN(SubtractFn, !kIsPred<T>, {
  if constexpr (kIsFloat<T>) return a - b;
  else return static_cast<T>(static_cast<Wrap<T>>(a) - static_cast<Wrap<T>>(b));
})
HLOIR_BINARY_FN(MultiplyFn, true, {
  if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v & b.v)};
  else if constexpr (kIsFloat<T>) return a * b;
  else return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
})
// Integers: x/0 is all ones; the one quotient that overflows is the dividend.
HLOIR_BINARY_FN(DivideFn, !kIsPred<T>, {
  if constexpr (kIsFloat<T>) return a / b;
  else {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return NegateFn::Apply(a);
    return static_cast<T>(a / b);
  }
})
HLOIR_BINARY_FN(RemainderFn, !kIsPred<T>, {
  if constexpr (std::is_same_v<T, float>) return __builtin_fmodf(a, b);
  else if constexpr (kIsFloat<T>) return __builtin_fmod(a, b);
  else {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
})
// A NaN operand is the result, and +0 is larger than -0: equal operands combine their bits. Both results are computed
// and one is selected, because loops with a branch are not vectorized.
template <class T, bool greater>
inline T Extreme(T a, T b) {
  const Unsigned<T> x = __builtin_bit_cast(Unsigned<T>, a), y = __builtin_bit_cast(Unsigned<T>, b);
  const T other = ((greater ? a > b : a < b) | (a != a)) ? a : b;
  const Unsigned<T> both = greater ? x & y : x | y;
  return __builtin_bit_cast(T, a == b ? both : __builtin_bit_cast(Unsigned<T>, other));
}
HLOIR_BINARY_FN(MaximumFn, true, {
  if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v | b.v)};
  else if constexpr (kIsFloat<T>) return Extreme<T, true>(a, b);
  else return a >= b ? a : b;
})
HLOIR_BINARY_FN(MinimumFn, true, {
  if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v & b.v)};
  else if constexpr (kIsFloat<T>) return Extreme<T, false>(a, b);
  else return a <= b ? a : b;
})
HLOIR_BINARY_FN(AndFn, !kIsFloat<T>, {
  if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v & b.v)};
  else return static_cast<T>(a & b);
})
HLOIR_BINARY_FN(OrFn, !kIsFloat<T>, {
  if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v | b.v)};
  else return static_cast<T>(a | b);
})
HLOIR_BINARY_FN(XorFn, !kIsFloat<T>, {
  if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v ^ b.v)};
  else return static_cast<T>(a ^ b);
})
HLOIR_BINARY_FN(WrapFn, kIsInt<T>&& std::is_signed_v<T>, {
  return AddFn::Apply(a, static_cast<T>(b & (a >> (kBits<T> - 1))));  // without a branch
})
// A shift by the width or more (a negative amount is more) shifts everything out.
HLOIR_BINARY_FN(ShiftLeftFn, kIsInt<T>, {
  auto amount = static_cast<Unsigned<T>>(b);
  auto masked = static_cast<Unsigned<T>>(amount & (kBits<T> - 1));
  return amount < kBits<T> ? static_cast<T>(static_cast<Wrap<T>>(a) << masked) : T(0);
})
HLOIR_BINARY_FN(ShiftRightLogicalFn, kIsInt<T>, {
  auto amount = static_cast<Unsigned<T>>(b);
  auto masked = static_cast<Unsigned<T>>(amount & (kBits<T> - 1));
  return amount < kBits<T> ? static_cast<T>(static_cast<Unsigned<T>>(a) >> masked) : T(0);
})
HLOIR_BINARY_FN(ShiftRightArithmeticFn, kIsInt<T>, {
  auto amount = static_cast<Unsigned<T>>(b);
  auto clamped = static_cast<Unsigned<T>>(amount < kBits<T> ? amount : kBits<T> - 1);
  return static_cast<T>(static_cast<std::make_signed_t<T>>(a) >> clamped);
})
#undef HLOIR_BINARY_FN

#define HLOIR_COMPARE_FN(name, op)                                         \
  struct name {                                                            \
    template <class T>                                                     \
    static constexpr bool kHas = true;                                     \
    template <class T>                                                     \
    static Pred Apply(T a, T b) {                                          \
      if constexpr (kIsPred<T>) return {static_cast<uint8_t>(a.v op b.v)}; \
      else return {static_cast<uint8_t>(a op b)};                          \
    }                                                                      \
  };                                                                       \
  struct Total##name {                                                     \
    template <class T>                                                     \
    static constexpr bool kHas = kIsFloat<T>;                              \
    template <class T>                                                     \
    static Pred Apply(T a, T b) {                                          \
      return {static_cast<uint8_t>(TotalOrderKey(a) op TotalOrderKey(b))}; \
    }                                                                      \
  };
HLOIR_COMPARE_FN(EqFn, ==)
HLOIR_COMPARE_FN(NeFn, !=)
HLOIR_COMPARE_FN(GeFn, >=)
HLOIR_COMPARE_FN(GtFn, >)
HLOIR_COMPARE_FN(LeFn, <=)
HLOIR_COMPARE_FN(LtFn, <)
#undef HLOIR_COMPARE_FN

// Complex numbers, without the transcendental functions. The product is the plain formula: without a correction for
// infinities.
template <BinaryOp op>
struct ComplexBinary {
  template <class Real>
  static auto Apply(Pair<Real> a, Pair<Real> b) {
    if constexpr (op == BinaryOp::kAdd) return Pair<Real>{a.re + b.re, a.im + b.im};
    else if constexpr (op == BinaryOp::kSubtract) return Pair<Real>{a.re - b.re, a.im - b.im};
    else if constexpr (op == BinaryOp::kMultiply) {
      // Flips the sign bit, because g++ 12 compiles a difference next to a sum to vfmaddsub despite -ffp-contract=off.
      using Bits = Unsigned<Real>;
      const Bits product = __builtin_bit_cast(Bits, a.im * b.im) ^ (Bits(1) << (kBits<Real> - 1));
      return Pair<Real>{a.re * b.re + __builtin_bit_cast(Real, product), a.re * b.im + a.im * b.re};
    } else return Pred{static_cast<uint8_t>(((a.re == b.re) & (a.im == b.im)) == (op == BinaryOp::kEq))};
  }
};
struct ComplexFn {
  template <class Real>
  static Pair<Real> Apply(Real re, Real im) {
    return {re, im};
  }
};
struct RealFn {
  template <class Real>
  static Real Apply(Pair<Real> x) {
    return x.re;
  }
};
struct ImagFn {
  template <class Real>
  static Real Apply(Pair<Real> x) {
    return x.im;
  }
};
struct ConjugateFn {
  template <class Real>
  static Pair<Real> Apply(Pair<Real> x) {
    return {x.re, -x.im};
  }
};
struct ComplexNegateFn {
  template <class Real>
  static Pair<Real> Apply(Pair<Real> x) {
    return {-x.re, -x.im};
  }
};

// Operations independent of signedness: the unsigned type's kernel is used for both.
template <class F>
constexpr bool kIgnoresSign = false;
// F(a, b) == Mirrored<F>(b, a), bit for bit. For floats only comparisons, because other results have the first NaN's
// payload.
template <class F>
struct Mirror {
  using type = void;
};
#define HLOIR_IGNORES_SIGN(name) \
  template <>                    \
  constexpr bool kIgnoresSign<name> = true;
#define HLOIR_MIRROR(name, other) \
  template <>                     \
  struct Mirror<name> {           \
    using type = other;           \
  };
HLOIR_IGNORES_SIGN(NegateFn)
HLOIR_IGNORES_SIGN(NotFn)
HLOIR_IGNORES_SIGN(ClzFn)
HLOIR_IGNORES_SIGN(PopcntFn)
HLOIR_IGNORES_SIGN(AddFn)
HLOIR_IGNORES_SIGN(SubtractFn)
HLOIR_IGNORES_SIGN(MultiplyFn)
HLOIR_IGNORES_SIGN(AndFn)
HLOIR_IGNORES_SIGN(OrFn)
HLOIR_IGNORES_SIGN(XorFn)
HLOIR_IGNORES_SIGN(ShiftLeftFn)
HLOIR_IGNORES_SIGN(ShiftRightArithmeticFn)
HLOIR_IGNORES_SIGN(ShiftRightLogicalFn)
HLOIR_IGNORES_SIGN(EqFn)
HLOIR_IGNORES_SIGN(NeFn)
HLOIR_MIRROR(AddFn, AddFn)
HLOIR_MIRROR(MultiplyFn, MultiplyFn)
HLOIR_MIRROR(MaximumFn, MaximumFn)
HLOIR_MIRROR(MinimumFn, MinimumFn)
HLOIR_MIRROR(AndFn, AndFn)
HLOIR_MIRROR(OrFn, OrFn)
HLOIR_MIRROR(XorFn, XorFn)
HLOIR_MIRROR(EqFn, EqFn)
HLOIR_MIRROR(NeFn, NeFn)
HLOIR_MIRROR(GeFn, LeFn)
HLOIR_MIRROR(GtFn, LtFn)
HLOIR_MIRROR(TotalEqFn, TotalEqFn)
HLOIR_MIRROR(TotalNeFn, TotalNeFn)
HLOIR_MIRROR(TotalGeFn, TotalLeFn)
HLOIR_MIRROR(TotalGtFn, TotalLtFn)
#undef HLOIR_IGNORES_SIGN
#undef HLOIR_MIRROR

}  // namespace
}  // namespace hloir::cpu
