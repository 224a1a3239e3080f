// Elementwise tile kernels that need no approximation: plain loops which the compiler vectorizes for the instruction
// set of the including file. HLO's rules stand in the functors, so full vectors and tails cannot differ. Included by
// isa/*.cc through all_kernels.h only; everything has internal linkage (why: isa/sse2.cc).
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/kernel_table.h"

#if defined(__clang__)
#define HLOIR_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#else
#define HLOIR_VECTORIZE _Pragma("GCC ivdep")
#endif

namespace hloir::cpu {
namespace {

template <TileType>
struct CppTypeOf;
template <>
struct CppTypeOf<TileType::kPred> {
  struct type {
    uint8_t v;
  };
};  // its own type: pred is no u8
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

// ---- One operand. kHas<T>: whether the op exists for T.
// -------------------------------------------------------------------
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
struct RoundAfzFn {  // half away from zero: truncate, then step away where the rest is at least a half
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
    return static_cast<T>(__builtin_popcountll(static_cast<uint64_t>(static_cast<Unsigned<T>>(x))));
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
    uint32_t bits = __builtin_bit_cast(uint32_t, x);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    // A NaN stays one: rounding could carry its payload away.
    uint32_t quiet = (bits & 0xffff0000u) | 0x00400000u;
    return __builtin_bit_cast(float, x != x ? quiet : rounded);
  }
};

struct RoundToF16Fn {
  template <class T>
  static constexpr bool kHas = std::is_same_v<T, float>;
  template <class T>
  static T Apply(T x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x), magnitude = bits & 0x7fffffffu;
    // Normal halves keep 10 bits of the mantissa. Those below 2^-14 are multiples of 2^-24, the last place of [0.5, 1).
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1)) & ~0x1fffu;
    normal = normal >= 0x47800000u ? 0x7f800000u : normal;
    const float tiny = (__builtin_bit_cast(float, magnitude) + 0.5f) - 0.5f;
    uint32_t rounded = magnitude < 0x38800000u ? __builtin_bit_cast(uint32_t, tiny) : normal;
    rounded = magnitude > 0x7f800000u ? (magnitude & ~0x1fffu) | 0x00400000u : rounded;
    return __builtin_bit_cast(float, rounded | (bits & 0x80000000u));
  }
};

// ---- Two operands.
// --------------------------------------------------------------------------------------------------------
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
// A NaN on either side wins, and +0 is more than -0: of equal operands, the bits of both. Both answers are computed and
// one is taken, since loops with a branch in them would not be vectorized.
template <class T, bool greater>
inline T Extreme(T a, T b) {
  const Unsigned<T> x = __builtin_bit_cast(Unsigned<T>, a), y = __builtin_bit_cast(Unsigned<T>, b);
  const T other = (greater ? a > b : a < b) | (a != a) ? a : b;
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

// ---- Complex numbers: what needs no function of theirs. The product is the plain formula, so infinities are not
// repaired. -----
template <BinaryOp op>
struct ComplexBinary {
  template <class Real>
  static auto Apply(Pair<Real> a, Pair<Real> b) {
    if constexpr (op == BinaryOp::kAdd) return Pair<Real>{a.re + b.re, a.im + b.im};
    else if constexpr (op == BinaryOp::kSubtract) return Pair<Real>{a.re - b.re, a.im - b.im};
    else if constexpr (op == BinaryOp::kMultiply) {
      // The sign is turned as a bit: of a difference beside a sum g++ 12 makes vfmaddsub, whatever -ffp-contract says.
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
struct ComplexNegateFn {
  template <class Real>
  static Pair<Real> Apply(Pair<Real> x) {
    return {-x.re, -x.im};
  }
};

// ---- Loops.
// --------------------------------------------------------------------------------------------------------------- Of
// how many elements; the kernels of kOne and kNext do without the loop, whatever n says. Those of kNext then go on with
// the op that follows theirs in memory (a jump, in optimized code): a list of these runs by a call of its first.
enum class Count { kMany, kOne, kNext };
template <Count count>
inline void GoOn(const TileOp& op) {
  if constexpr (count == Count::kNext) return (&op + 1)->kernel(*(&op + 1), 1);
}

template <class F, class T, Count count = Count::kMany>
void UnaryLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const T* a = static_cast<const T*>(op.in[0]);
  using R = decltype(F::Apply(*a));
  R* out = static_cast<R*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) out[i] = F::Apply(a[i]);
  GoOn<count>(op);
}

template <class F, class T, OperandMode mode, Count count = Count::kMany>
void BinaryLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const T* a = static_cast<const T*>(op.in[0]);
  const T* b = static_cast<const T*>(op.in[1]);
  using R = decltype(F::Apply(*a, *b));
  R* out = static_cast<R*>(op.out);
  const T a0 = a[0], b0 = b[0];
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    out[i] = F::Apply(mode == kScalarVector ? a0 : a[i], mode == kVectorScalar ? b0 : b[i]);
  }
  GoOn<count>(op);
}

template <class T, OperandMode mode, Count count = Count::kMany>
void SelectLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint8_t* which = static_cast<const uint8_t*>(op.in[0]);
  const T* a = static_cast<const T*>(op.in[1]);
  const T* b = static_cast<const T*>(op.in[2]);
  T* out = static_cast<T*>(op.out);
  const T a0 = a[0], b0 = b[0];
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    T x = mode & kScalarVector ? a0 : a[i];
    T y = mode & kVectorScalar ? b0 : b[i];
    out[i] = which[i] ? x : y;
  }
  GoOn<count>(op);
}

// Moves the element at an index: see MoveOne.
template <MoveOne move, class Index, class T, Count count>
void MoveElement(const TileOp& op, int64_t) {
  int64_t index = *static_cast<const Index*>(op.in[1]);
  const int64_t step = reinterpret_cast<intptr_t>(op.in[2]), last = op.extra;
  if constexpr (move != MoveOne::kScatter) {
    index = index < 0 ? 0 : index;
    index = index > last ? last : index;
  }
  if constexpr (move == MoveOne::kSlice) {
    *static_cast<T*>(op.out) = *reinterpret_cast<const T*>(static_cast<const char*>(op.in[0]) + index * step);
  } else if (move == MoveOne::kUpdate || (index >= 0 && index <= last)) {
    *reinterpret_cast<T*>(static_cast<char*>(op.out) + index * step) = *static_cast<const T*>(op.in[0]);
  }
  GoOn<count>(op);
}

template <class F, class T>
void CombineAtLoop(const TileOp& op, int64_t n) {
  const int64_t* places = static_cast<const int64_t*>(op.in[0]);
  const T* x = static_cast<const T*>(op.in[1]);
  T* out = static_cast<T*>(op.out);
  const int64_t step = op.extra;
  for (int64_t i = 0; i < n; ++i) {
    if (places[i] >= 0) out[places[i]] = F::Apply(out[places[i]], x[i * step]);
  }
}

// Floats to integers truncate and saturate; NaN gives 0. Anything to pred asks "not zero?". Integers wrap.
template <class From, class To>
inline To ConvertOne(From x) {
  if constexpr (kIsPred<From> && kIsPred<To>) return x;
  else if constexpr (kIsPred<From>) return static_cast<To>(x.v);
  else if constexpr (kIsPred<To>) return {static_cast<uint8_t>(x != 0)};
  else if constexpr (kIsFloat<From> && kIsInt<To>) {
    // The largest To as a From may round up to one past it; comparing with >= against that bound is exact.
    constexpr int kMagnitudeBits = kBits<To> - (std::is_signed_v<To> ? 1 : 0);
    constexpr From kPast = static_cast<From>(2) * static_cast<From>(static_cast<uint64_t>(1) << (kMagnitudeBits - 1));
    constexpr From kLow = std::is_signed_v<To> ? -kPast : From(0);
    constexpr To kMax = static_cast<To>(static_cast<Unsigned<To>>(~Unsigned<To>(0)) >> (std::is_signed_v<To> ? 1 : 0));
    constexpr To kMin = std::is_signed_v<To> ? static_cast<To>(static_cast<Unsigned<To>>(1) << (kBits<To> - 1)) : To(0);
    From in_range = (x >= kLow) & (x < kPast) ? x : From(0);
    To converted;
    if constexpr (sizeof(To) < 4) converted = static_cast<To>(static_cast<int32_t>(in_range));
    else converted = static_cast<To>(in_range);
    converted = x >= kPast ? kMax : converted;
    return x < kLow ? kMin : converted;
  } else return static_cast<To>(x);
}
template <class From, class To, Count count = Count::kMany>
void ConvertLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const From* a = static_cast<const From*>(op.in[0]);
  To* out = static_cast<To*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) out[i] = ConvertOne<From, To>(a[i]);
  GoOn<count>(op);
}

template <class T, Count count = Count::kMany>
void SplatLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const T value = *static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) out[i] = value;
  GoOn<count>(op);
}
template <class T>
void IotaLoop(const TileOp& op, int64_t n) {
  const int64_t start = reinterpret_cast<intptr_t>(op.in[0]), step = op.extra;
  T* out = static_cast<T*>(op.out);
  if constexpr (sizeof(T) <= 4) {  // numbers past 32 bits only matter for what wraps anyway, or is far beyond any size
    const uint32_t first = static_cast<uint32_t>(start), stride = static_cast<uint32_t>(step);
    HLOIR_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      uint32_t value = first + static_cast<uint32_t>(i) * stride;
      if constexpr (kIsPred<T>) out[i] = {static_cast<uint8_t>(value != 0)};
      else if constexpr (kIsFloat<T>) out[i] = static_cast<T>(static_cast<int32_t>(value));
      else out[i] = static_cast<T>(value);
    }
  } else {
    HLOIR_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(start + i * step);
  }
}
template <class T>
void StridedLoadLoop(const TileOp& op, int64_t n) {
  const T* a = static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  const int64_t stride = op.extra;
  for (int64_t i = 0; i < n; ++i) out[i] = a[i * stride];
}
template <class T, Count count = Count::kMany>
void CopyLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  __builtin_memmove(op.out, op.in[0], static_cast<size_t>(n) * sizeof(T));
  GoOn<count>(op);
}

// bf16 bits are the upper half of an f32's. The tile's values are already rounded, so narrowing drops zeros.
template <Count count = Count::kMany>
void WidenBf16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint16_t* a = static_cast<const uint16_t*>(op.in[0]);
  uint32_t* out = static_cast<uint32_t*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<uint32_t>(a[i]) << 16;
  GoOn<count>(op);
}
template <Count count = Count::kMany>
void NarrowBf16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint32_t* a = static_cast<const uint32_t*>(op.in[0]);
  uint16_t* out = static_cast<uint16_t*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<uint16_t>(a[i] >> 16);
  GoOn<count>(op);
}

template <Count count = Count::kMany>
void WidenF16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint16_t* a = static_cast<const uint16_t*>(op.in[0]);
  uint32_t* out = static_cast<uint32_t*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t half = a[i], magnitude = (half & 0x7fffu) << 13;
    const uint32_t finite = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) * 0x1p112f);
    out[i] = ((half & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : finite) | (half & 0x8000u) << 16;
  }
  GoOn<count>(op);
}
template <Count count = Count::kMany>
void NarrowF16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint32_t* a = static_cast<const uint32_t*>(op.in[0]);
  uint16_t* out = static_cast<uint16_t*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t magnitude = a[i] & 0x7fffffffu;
    const uint32_t normal = (magnitude >> 13) - (112u << 10);
    const uint32_t tiny = static_cast<uint32_t>(
        static_cast<int32_t>(__builtin_bit_cast(float, magnitude < 0x38800000u ? magnitude : 0u) * 0x1p24f));
    const uint32_t special = 0x7c00u | (magnitude >> 13 & 0x3ffu);
    const uint32_t half = magnitude < 0x38800000u ? tiny : magnitude >= 0x7f800000u ? special : normal;
    out[i] = static_cast<uint16_t>(half | (a[i] >> 16 & 0x8000u));
  }
  GoOn<count>(op);
}

// ---- Filling the table.
// ---------------------------------------------------------------------------------------------------
template <class F, TileType P, Count count>
constexpr TileKernel UnaryEntry() {
  if constexpr (F::template kHas<Cpp<P>>) return &UnaryLoop<F, Cpp<P>, count>;
  else return nullptr;
}
template <class F, TileType P, OperandMode mode, Count count>
constexpr TileKernel BinaryEntry() {
  if constexpr (F::template kHas<Cpp<P>>) return &BinaryLoop<F, Cpp<P>, mode, count>;
  else return nullptr;
}

template <TileType P, Count count>
void FillElementwiseOf(KernelTable& table) {
  constexpr int p = static_cast<int>(P);
  using T = Cpp<P>;
  auto unary = [&](UnaryOp op) -> TileKernel& { return table.unary[static_cast<int>(op)][p]; };
  unary(UnaryOp::kAbs) = UnaryEntry<AbsFn, P, count>();
  unary(UnaryOp::kNegate) = UnaryEntry<NegateFn, P, count>();
  unary(UnaryOp::kNot) = UnaryEntry<NotFn, P, count>();
  unary(UnaryOp::kSign) = UnaryEntry<SignFn, P, count>();
  unary(UnaryOp::kCeil) = UnaryEntry<CeilFn, P, count>();
  unary(UnaryOp::kFloor) = UnaryEntry<FloorFn, P, count>();
  unary(UnaryOp::kRoundAfz) = UnaryEntry<RoundAfzFn, P, count>();
  unary(UnaryOp::kRoundEven) = UnaryEntry<RoundEvenFn, P, count>();
  unary(UnaryOp::kClz) = UnaryEntry<ClzFn, P, count>();
  unary(UnaryOp::kPopcnt) = UnaryEntry<PopcntFn, P, count>();
  unary(UnaryOp::kIsFinite) = UnaryEntry<IsFiniteFn, P, count>();
  unary(UnaryOp::kSqrt) = UnaryEntry<SqrtFn, P, count>();
  unary(UnaryOp::kRsqrt) = UnaryEntry<RsqrtFn, P, count>();
  unary(UnaryOp::kRoundToBf16) = UnaryEntry<RoundToBf16Fn, P, count>();
  unary(UnaryOp::kRoundToF16) = UnaryEntry<RoundToF16Fn, P, count>();
  auto binary = [&]<class F>(BinaryOp op, F) {
    table.binary[static_cast<int>(op)][p][kVectorVector] = BinaryEntry<F, P, kVectorVector, count>();
    table.binary[static_cast<int>(op)][p][kVectorScalar] = BinaryEntry<F, P, kVectorScalar, count>();
    table.binary[static_cast<int>(op)][p][kScalarVector] = BinaryEntry<F, P, kScalarVector, count>();
  };
  binary(BinaryOp::kAdd, AddFn());
  binary(BinaryOp::kSubtract, SubtractFn());
  binary(BinaryOp::kMultiply, MultiplyFn());
  binary(BinaryOp::kDivide, DivideFn());
  binary(BinaryOp::kRemainder, RemainderFn());
  binary(BinaryOp::kMaximum, MaximumFn());
  binary(BinaryOp::kMinimum, MinimumFn());
  binary(BinaryOp::kAnd, AndFn());
  binary(BinaryOp::kOr, OrFn());
  binary(BinaryOp::kXor, XorFn());
  binary(BinaryOp::kWrap, WrapFn());
  binary(BinaryOp::kShiftLeft, ShiftLeftFn());
  binary(BinaryOp::kShiftRightArithmetic, ShiftRightArithmeticFn());
  binary(BinaryOp::kShiftRightLogical, ShiftRightLogicalFn());
  binary(BinaryOp::kEq, EqFn());
  binary(BinaryOp::kNe, NeFn());
  binary(BinaryOp::kGe, GeFn());
  binary(BinaryOp::kGt, GtFn());
  binary(BinaryOp::kLe, LeFn());
  binary(BinaryOp::kLt, LtFn());
  binary(BinaryOp::kTotalEq, TotalEqFn());
  binary(BinaryOp::kTotalNe, TotalNeFn());
  binary(BinaryOp::kTotalGe, TotalGeFn());
  binary(BinaryOp::kTotalGt, TotalGtFn());
  binary(BinaryOp::kTotalLe, TotalLeFn());
  binary(BinaryOp::kTotalLt, TotalLtFn());
  if constexpr (count == Count::kOne) {
    auto combine_at = [&]<class F>(BinaryOp op, F) {
      if constexpr (F::template kHas<T>) table.combine_at[static_cast<int>(op)][p] = &CombineAtLoop<F, T>;
    };
    combine_at(BinaryOp::kAdd, AddFn());
    combine_at(BinaryOp::kMultiply, MultiplyFn());
    combine_at(BinaryOp::kMaximum, MaximumFn());
    combine_at(BinaryOp::kMinimum, MinimumFn());
    combine_at(BinaryOp::kAnd, AndFn());
    combine_at(BinaryOp::kOr, OrFn());
    combine_at(BinaryOp::kXor, XorFn());
  }
  table.select[p][kVectorVector] = &SelectLoop<T, kVectorVector, count>;
  table.select[p][kVectorScalar] = &SelectLoop<T, kVectorScalar, count>;
  table.select[p][kScalarVector] = &SelectLoop<T, kScalarVector, count>;
  table.select[p][kScalarScalar] = &SelectLoop<T, kScalarScalar, count>;
  TileKernel* convert = table.convert[p];
  convert[static_cast<int>(TileType::kPred)] = &ConvertLoop<T, Pred, count>;
  convert[static_cast<int>(TileType::kS8)] = &ConvertLoop<T, int8_t, count>;
  convert[static_cast<int>(TileType::kU8)] = &ConvertLoop<T, uint8_t, count>;
  convert[static_cast<int>(TileType::kS16)] = &ConvertLoop<T, int16_t, count>;
  convert[static_cast<int>(TileType::kU16)] = &ConvertLoop<T, uint16_t, count>;
  convert[static_cast<int>(TileType::kS32)] = &ConvertLoop<T, int32_t, count>;
  convert[static_cast<int>(TileType::kU32)] = &ConvertLoop<T, uint32_t, count>;
  convert[static_cast<int>(TileType::kS64)] = &ConvertLoop<T, int64_t, count>;
  convert[static_cast<int>(TileType::kU64)] = &ConvertLoop<T, uint64_t, count>;
  convert[static_cast<int>(TileType::kF32)] = &ConvertLoop<T, float, count>;
  convert[static_cast<int>(TileType::kF64)] = &ConvertLoop<T, double, count>;
  table.splat[p] = &SplatLoop<T, count>;
  table.iota[p] = &IotaLoop<T>;
}

template <TileType P, TileType R, Count count>
void FillComplexOf(KernelTable& table) {
  using T = Cpp<P>;
  constexpr int p = static_cast<int>(P);
  auto unary = [&](UnaryOp op) -> TileKernel& { return table.unary[static_cast<int>(op)][p]; };
  unary(UnaryOp::kNegate) = &UnaryLoop<ComplexNegateFn, T, count>;
  unary(UnaryOp::kReal) = &UnaryLoop<RealFn, T, count>;
  unary(UnaryOp::kImag) = &UnaryLoop<ImagFn, T, count>;
  auto binary = [&]<class F, class From>(BinaryOp op, int type, F, From) {
    table.binary[static_cast<int>(op)][type][kVectorVector] = &BinaryLoop<F, From, kVectorVector, count>;
    table.binary[static_cast<int>(op)][type][kVectorScalar] = &BinaryLoop<F, From, kVectorScalar, count>;
    table.binary[static_cast<int>(op)][type][kScalarVector] = &BinaryLoop<F, From, kScalarVector, count>;
  };
  binary(BinaryOp::kAdd, p, ComplexBinary<BinaryOp::kAdd>(), T());
  binary(BinaryOp::kSubtract, p, ComplexBinary<BinaryOp::kSubtract>(), T());
  binary(BinaryOp::kMultiply, p, ComplexBinary<BinaryOp::kMultiply>(), T());
  binary(BinaryOp::kEq, p, ComplexBinary<BinaryOp::kEq>(), T());
  binary(BinaryOp::kNe, p, ComplexBinary<BinaryOp::kNe>(), T());
  binary(BinaryOp::kComplex, static_cast<int>(R), ComplexFn(), Cpp<R>());
  table.select[p][kVectorVector] = &SelectLoop<T, kVectorVector, count>;
  table.select[p][kVectorScalar] = &SelectLoop<T, kVectorScalar, count>;
  table.select[p][kScalarVector] = &SelectLoop<T, kScalarVector, count>;
  table.select[p][kScalarScalar] = &SelectLoop<T, kScalarScalar, count>;
  table.splat[p] = &SplatLoop<T, count>;
}

template <MoveOne move, class Index, Count count>
void FillMovesOf(TileKernel (&kernels)[4]) {
  kernels[0] = &MoveElement<move, Index, uint8_t, count>;
  kernels[1] = &MoveElement<move, Index, uint16_t, count>;
  kernels[2] = &MoveElement<move, Index, uint32_t, count>;
  kernels[3] = &MoveElement<move, Index, uint64_t, count>;
}
template <MoveOne move, Count count>
void FillMoves(KernelTable& table) {
  FillMovesOf<move, int32_t, count>(table.move_one[static_cast<int>(move)][0]);
  FillMovesOf<move, int64_t, count>(table.move_one[static_cast<int>(move)][1]);
}

template <Count count = Count::kMany>
void FillElementwise(KernelTable& table) {
  FillElementwiseOf<TileType::kPred, count>(table);
  FillElementwiseOf<TileType::kS8, count>(table);
  FillElementwiseOf<TileType::kU8, count>(table);
  FillElementwiseOf<TileType::kS16, count>(table);
  FillElementwiseOf<TileType::kU16, count>(table);
  FillElementwiseOf<TileType::kS32, count>(table);
  FillElementwiseOf<TileType::kU32, count>(table);
  FillElementwiseOf<TileType::kS64, count>(table);
  FillElementwiseOf<TileType::kU64, count>(table);
  FillElementwiseOf<TileType::kF32, count>(table);
  FillElementwiseOf<TileType::kF64, count>(table);
  FillComplexOf<TileType::kC64, TileType::kF32, count>(table);
  FillComplexOf<TileType::kC128, TileType::kF64, count>(table);
  if constexpr (count != Count::kMany) {
    FillMoves<MoveOne::kSlice, count>(table);
    FillMoves<MoveOne::kUpdate, count>(table);
    FillMoves<MoveOne::kScatter, count>(table);
  }
  table.strided_load[0] = &StridedLoadLoop<uint8_t>;
  table.strided_load[1] = &StridedLoadLoop<uint16_t>;
  table.strided_load[2] = &StridedLoadLoop<uint32_t>;
  table.strided_load[3] = &StridedLoadLoop<uint64_t>;
  table.strided_load[4] = &StridedLoadLoop<Pair<double>>;
  table.copy[0] = &CopyLoop<uint8_t, count>;
  table.copy[1] = &CopyLoop<uint16_t, count>;
  table.copy[2] = &CopyLoop<uint32_t, count>;
  table.copy[3] = &CopyLoop<uint64_t, count>;
  table.copy[4] = &CopyLoop<Pair<double>, count>;
  table.widen[static_cast<int>(NarrowFloat::kBf16)] = &WidenBf16<count>;
  table.narrow[static_cast<int>(NarrowFloat::kBf16)] = &NarrowBf16<count>;
  table.widen[static_cast<int>(NarrowFloat::kF16)] = &WidenF16<count>;
  table.narrow[static_cast<int>(NarrowFloat::kF16)] = &NarrowF16<count>;
}

}  // namespace
}  // namespace hloir::cpu
