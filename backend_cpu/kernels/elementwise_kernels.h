// Elementwise tile kernels without approximations: plain loops over functors.h, which the compiler vectorizes for the
// instruction set of the including file. Included by isa/*.cc through all_kernels.h, and by kernels/per_element.cc;
// everything has internal linkage (why: isa/isas.def).
//
// Every loop costs build time for each instruction set, so operations with the same bits share one: on signed and
// unsigned integers, with exchanged operands (`2 > x` is `x < 2`), or by the element's size.
#pragma once

#include "kernels/functors.h"

#if defined(__clang__)
#define HLOIR_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#define HLOIR_VECTORIZE_BY_TWO HLOIR_VECTORIZE
#else
#define HLOIR_VECTORIZE _Pragma("GCC ivdep")
// Two vectors a turn, where counting the turns would take as many instructions as the work.
#define HLOIR_VECTORIZE_BY_TWO _Pragma("GCC ivdep") _Pragma("GCC unroll 2")
#endif

namespace hloir::cpu {
namespace {

// The number of elements. The kernels of kOne and kNext have no loop and ignore n. Those of kNext then call the op that
// follows in memory (a jump, in optimized code), so that a call of the first op runs a list.
enum class Count { kMany, kOne, kNext };
template <Count count>
inline void RunNext(const TileOp& op) {
  if constexpr (count == Count::kNext) return (&op + 1)->kernel(*(&op + 1), 1);
}

// The type whose loop is also used for T.
template <class T, bool ignores_sign>
struct LoopTypeOf {
  using type = T;
};
template <class T>
requires kIsInt<T>
struct LoopTypeOf<T, true> {
  using type = Unsigned<T>;
};
template <class F, class T>
using LoopType = typename LoopTypeOf<T, kIgnoresSign<F>>::type;
// For operations that only move elements.
template <int bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = uint8_t;
};
template <>
struct WordOf<2> {
  using type = uint16_t;
};
template <>
struct WordOf<4> {
  using type = uint32_t;
};
template <>
struct WordOf<8> {
  using type = uint64_t;
};
template <>
struct WordOf<16> {
  using type = Pair<double>;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::type;

template <class F, class T, Count count = Count::kMany>
void UnaryLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const T* a = static_cast<const T*>(op.in[0]);
  using R = decltype(F::Apply(*a));
  R* out = static_cast<R*>(op.out);
  HLOIR_VECTORIZE_BY_TWO
  for (int64_t i = 0; i < n; ++i) out[i] = F::Apply(a[i]);
  RunNext<count>(op);
}

// Not inlined, because two kernels call each.
template <class F, class T, OperandMode mode>
[[gnu::noinline]] void BinaryOfMany(const T* a, const T* b, void* result, int64_t n) {
  using R = decltype(F::Apply(*a, *b));
  R* out = static_cast<R*>(result);
  const T a0 = a[0], b0 = b[0];
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    out[i] = F::Apply(mode == kScalarVector ? a0 : a[i], mode == kVectorScalar ? b0 : b[i]);
  }
}
template <class F, class T, OperandMode mode, bool exchanged = false>
void BinaryLoop(const TileOp& op, int64_t n) {
  const T *a = static_cast<const T*>(op.in[0]), *b = static_cast<const T*>(op.in[1]);
  BinaryOfMany<F, T, mode>(exchanged ? b : a, exchanged ? a : b, op.out, n);
}
template <class F, class T, Count count>
void BinaryOne(const TileOp& op, int64_t) {
  const T *a = static_cast<const T*>(op.in[0]), *b = static_cast<const T*>(op.in[1]);
  using R = decltype(F::Apply(*a, *b));
  *static_cast<R*>(op.out) = F::Apply(*a, *b);
  RunNext<count>(op);
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
    T x = (mode & kScalarVector) ? a0 : a[i];
    T y = (mode & kVectorScalar) ? b0 : b[i];
    out[i] = which[i] ? x : y;
  }
  RunNext<count>(op);
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
  RunNext<count>(op);
}

template <class F, class T, class Index>
void CombineAtLoop(const TileOp& op, int64_t n) {
  const Index* places = static_cast<const Index*>(op.in[0]);
  const T* x = static_cast<const T*>(op.in[1]);
  T* out = static_cast<T*>(op.out);
  const int64_t step = reinterpret_cast<intptr_t>(op.in[2]);
  const uint64_t last = static_cast<uint64_t>(op.extra);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t place = places[i];
    if (static_cast<uint64_t>(place) <= last) out[place] = F::Apply(out[place], x[i * step]);
  }
}

// Floats to integers truncate and saturate; NaN gives 0. A number converts to pred as "not zero". Integers wrap.
template <class From, class To>
inline To ConvertOne(From x) {
  if constexpr (kIsPred<From> && kIsPred<To>) return x;
  else if constexpr (kIsPred<From>) return static_cast<To>(x.v);
  else if constexpr (kIsPred<To>) return {static_cast<uint8_t>(x != 0)};
  else if constexpr (kIsFloat<From> && kIsInt<To>) {
    // The largest To may round up to one past it in From; comparing with >= against this bound is exact.
    constexpr int kMagnitudeBits = kBits<To> - (std::is_signed_v<To> ? 1 : 0);
    constexpr From kPast = static_cast<From>(2) * static_cast<From>(static_cast<uint64_t>(1) << (kMagnitudeBits - 1));
    constexpr From kLow = std::is_signed_v<To> ? -kPast : From(0);
    constexpr To kMax = static_cast<To>(static_cast<Unsigned<To>>(~Unsigned<To>(0)) >> (std::is_signed_v<To> ? 1 : 0));
    constexpr To kMin = std::is_signed_v<To> ? static_cast<To>(static_cast<Unsigned<To>>(1) << (kBits<To> - 1)) : To(0);
    From in_range = ((x >= kLow) & (x < kPast)) ? x : From(0);
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
  if constexpr (sizeof(From) >= 4 && sizeof(To) >= 4 && !(kIsFloat<From> && kIsInt<To>)) {
    HLOIR_VECTORIZE_BY_TWO
    for (int64_t i = 0; i < n; ++i) out[i] = ConvertOne<From, To>(a[i]);
  } else {
    HLOIR_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = ConvertOne<From, To>(a[i]);
  }
  RunNext<count>(op);
}

// To f32, rounded to odd: of the two neighbours of a number between them, the one whose last bit is set. So the result
// may be rounded again, to a type that has two bits less or still fewer, as if that were the only rounding.
template <class From>
inline double ToWideOdd(From x) {
  if constexpr (sizeof(From) == 8 && kIsInt<From>) {
    // Below 2^52 they are doubles; above, the last 12 bits only matter if one is set.
    const From top = static_cast<From>(x >> 52), kept = static_cast<From>((x >> 12) | ((x & 4095) != 0 ? 1 : 0));
    const bool small = top == 0 || (std::is_signed_v<From> && top == static_cast<From>(-1));
    return small ? static_cast<double>(x) : static_cast<double>(kept) * 4096;
  } else {
    return static_cast<double>(x);
  }
}
template <class From>
inline float ToOdd(From x) {
  const double wide = ToWideOdd(x);
  const float nearest = static_cast<float>(wide);
  const double back = static_cast<double>(nearest);
  const uint32_t bits = __builtin_bit_cast(uint32_t, nearest);
  const uint32_t odd = (bits - (__builtin_fabs(back) > __builtin_fabs(wide) ? 1 : 0)) | 1;
  return __builtin_bit_cast(float, ((back == wide) | (wide != wide)) ? bits : odd);
}
// The same in loops that the compiler vectorizes: the bits of a double beyond f32's become one, the last of f32's. That
// is not enough where the result is a denormal number; and what is infinity here, and the largest number above, is
// infinity in every type with fewer bits.
template <class From, Count count = Count::kMany>
void ToOddLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  constexpr int kBlock = 32;
  constexpr uint64_t kBeyond = (1 << 29) - 1;
  const From* a = static_cast<const From*>(op.in[0]);
  float* out = static_cast<float*>(op.out);
  int64_t i = 0;
  for (; count == Count::kMany && i + kBlock <= n; i += kBlock) {
    double wides[kBlock];
    for (int k = 0; k < kBlock; ++k) wides[k] = ToWideOdd(a[i + k]);
    uint64_t tiny = 0;
    for (int k = 0; k < kBlock; ++k) {
      const double wide = wides[k];
      const uint64_t bits = __builtin_bit_cast(uint64_t, wide);
      if constexpr (kIsFloat<From>) tiny |= ((__builtin_fabs(wide) < 0x1p-126) & (wide != 0)) ? 1 : 0;
      wides[k] = __builtin_bit_cast(double, (bits | ((bits & kBeyond) + kBeyond)) & ~kBeyond);
    }
    if (tiny != 0)
      for (int k = 0; k < kBlock; ++k) out[i + k] = ToOdd(a[i + k]);
    else
      for (int k = 0; k < kBlock; ++k) out[i + k] = static_cast<float>(wides[k]);
  }
  for (; i < n; ++i) out[i] = ToOdd(a[i]);
  RunNext<count>(op);
}

template <class T, Count count = Count::kMany>
void SplatLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const T value = *static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) out[i] = value;
  RunNext<count>(op);
}
template <class T>
void IotaLoop(const TileOp& op, int64_t n) {
  const int64_t start = reinterpret_cast<intptr_t>(op.in[0]), step = op.extra;
  T* out = static_cast<T*>(op.out);
  // Positions past 32 bits only occur with types that wrap anyway, or in impossibly large arrays.
  if constexpr (sizeof(T) <= 4) {
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
  // Common strides are compile-time constants, for which the compiler loads whole vectors and shuffles.
  const auto load = [=](auto times) {
    HLOIR_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = a[times(i)];
  };
  switch (stride) {
    case -1: return load([](int64_t i) { return -i; });
    case 2: return load([](int64_t i) { return 2 * i; });
    case 3: return load([](int64_t i) { return 3 * i; });
    case 4: return load([](int64_t i) { return 4 * i; });
    default: return load([=](int64_t i) { return stride * i; });
  }
}
template <class T, Count count = Count::kMany>
void CopyLoop(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  __builtin_memmove(op.out, op.in[0], static_cast<size_t>(n) * sizeof(T));
  RunNext<count>(op);
}

// bf16 bits are the upper half of an f32's. The tile's values are already rounded, so narrowing drops zeros.
template <Count count = Count::kMany>
void WidenBf16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint16_t* a = static_cast<const uint16_t*>(op.in[0]);
  uint32_t* out = static_cast<uint32_t*>(op.out);
  HLOIR_VECTORIZE_BY_TWO
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<uint32_t>(a[i]) << 16;
  RunNext<count>(op);
}
template <Count count = Count::kMany>
void NarrowBf16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint32_t* a = static_cast<const uint32_t*>(op.in[0]);
  uint16_t* out = static_cast<uint16_t*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<uint16_t>(a[i] >> 16);
  RunNext<count>(op);
}

// A signalling NaN becomes quiet, as with hardware conversions.
template <Count count = Count::kMany>
void WidenF16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint16_t* a = static_cast<const uint16_t*>(op.in[0]);
  uint32_t* out = static_cast<uint32_t*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    // The sign and, in f32's places, the rest, whose exponent is 112 too low.
    const int32_t bits =
        (static_cast<int32_t>(static_cast<uint32_t>(a[i]) << 16) >> 3) & static_cast<int32_t>(0x8fffe000u);
    const int32_t magnitude = bits & 0x0fffffff;
    const uint32_t finite = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, bits) * 0x1p112f);
    const uint32_t special = (magnitude >= 0x0f800000 ? 0x7f800000u : 0u) | (magnitude > 0x0f800000 ? 0x00400000u : 0u);
    out[i] = finite | special;
  }
  RunNext<count>(op);
}
template <Count count = Count::kMany>
void NarrowF16(const TileOp& op, int64_t n) {
  if constexpr (count != Count::kMany) n = 1;
  const uint32_t* a = static_cast<const uint32_t*>(op.in[0]);
  uint16_t* out = static_cast<uint16_t*>(op.out);
  HLOIR_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    const int32_t magnitude = static_cast<int32_t>(a[i] & 0x7fffffffu);
    const int32_t normal = (magnitude >> 13) - (112 << 10);
    // Multiples of 2^-24, the last place of [0.5, 1).
    const int32_t tiny = __builtin_bit_cast(int32_t, __builtin_bit_cast(float, magnitude) + 0.5f) - 0x3f000000;
    const int32_t special = 0x7c00 | (magnitude >> 13 & 0x3ff);
    const int32_t finite = magnitude < 0x38800000 ? tiny : normal;
    const uint32_t half = static_cast<uint32_t>(magnitude >= 0x7f800000 ? special : finite);
    out[i] = static_cast<uint16_t>(half | (a[i] >> 16 & 0x8000u));
  }
  RunNext<count>(op);
}

// Filling the table.
template <class F, TileType P, Count count>
constexpr TileKernel UnaryEntry() {
  if constexpr (F::template kHas<Cpp<P>>) return &UnaryLoop<F, LoopType<F, Cpp<P>>, count>;
  else return nullptr;
}

// kVectorScalar for kScalarVector and the reverse.
constexpr OperandMode Exchanged(OperandMode mode) {
  return mode == kVectorScalar ? kScalarVector : mode == kScalarVector ? kVectorScalar : mode;
}
template <class F, class T, OperandMode mode, Count count>
constexpr TileKernel BinaryEntry() {
  using Other = typename Mirror<F>::type;
  // For floats, the sum and the product of two NaNs is the first one.
  constexpr bool kCompares = std::is_same_v<decltype(F::Apply(T(), T())), Pred>;
  constexpr bool kMirrored = !std::is_void_v<Other> && (kCompares || !kIsFloat<T>);
  using U = LoopType<F, T>;
  if constexpr (count != Count::kMany) return &BinaryOne<F, U, count>;
  else if constexpr (kMirrored && (!std::is_same_v<Other, F> || mode == kScalarVector)) {
    return &BinaryLoop<Other, U, Exchanged(mode), true>;
  } else return &BinaryLoop<F, U, mode>;
}
template <class F, class T, Count count>
void FillBinary(TileKernel (&entries)[3]) {
  entries[kVectorVector] = BinaryEntry<F, T, kVectorVector, count>();
  entries[kVectorScalar] = BinaryEntry<F, T, kVectorScalar, count>();
  entries[kScalarVector] = BinaryEntry<F, T, kScalarVector, count>();
}
template <class T, Count count>
void FillSelect(TileKernel (&entries)[kOperandModes]) {
  // One element is not a scalar or tile.
  constexpr bool kMany = count == Count::kMany;
  entries[kVectorVector] = &SelectLoop<Word<T>, kVectorVector, count>;
  entries[kVectorScalar] = &SelectLoop < Word<T>, kMany ? kVectorScalar : kVectorVector, count > ;
  entries[kScalarVector] = &SelectLoop < Word<T>, kMany ? kScalarVector : kVectorVector, count > ;
  entries[kScalarScalar] = &SelectLoop < Word<T>, kMany ? kScalarScalar : kVectorVector, count > ;
}
template <class From, class To, Count count>
constexpr TileKernel ConvertEntry() {
  // For integers, truncation or extension depends on the sign of the narrower type only.
  using F = typename LoopTypeOf<From, kIsPred<To> || (kIsInt<To> && sizeof(From) >= sizeof(To))>::type;
  using T = typename LoopTypeOf<To, kIsPred<From> || kIsInt<From>>::type;
  return &ConvertLoop<F, T, count>;
}

template <TileType P, Count count>
void FillElementwiseOf(KernelTable& table) {
  constexpr int p = static_cast<int>(P);
  using T = Cpp<P>;
  auto unary = [&]<class F>(UnaryOp op, F) { table.unary[static_cast<int>(op)][p] = UnaryEntry<F, P, count>(); };
  unary(UnaryOp::kAbs, AbsFn());
  unary(UnaryOp::kNegate, NegateFn());
  unary(UnaryOp::kNot, NotFn());
  unary(UnaryOp::kSign, SignFn());
  unary(UnaryOp::kCeil, CeilFn());
  unary(UnaryOp::kFloor, FloorFn());
  unary(UnaryOp::kRoundAfz, RoundAfzFn());
  unary(UnaryOp::kRoundEven, RoundEvenFn());
  unary(UnaryOp::kClz, ClzFn());
  unary(UnaryOp::kPopcnt, PopcntFn());
  unary(UnaryOp::kIsFinite, IsFiniteFn());
  unary(UnaryOp::kSqrt, SqrtFn());
  unary(UnaryOp::kRsqrt, RsqrtFn());
  unary(UnaryOp::kRoundToBf16, RoundToBf16Fn());
  unary(UnaryOp::kRoundToF16, RoundToF16Fn());
  auto binary = [&]<class F>(BinaryOp op, F) {
    if constexpr (F::template kHas<T>) FillBinary<F, T, count>(table.binary[static_cast<int>(op)][p]);
  };
  binary(BinaryOp::kAdd, AddFn());
  binary(BinaryOp::kSubtract, SubtractFn());
  binary(BinaryOp::kMultiply, MultiplyFn());
  // Division of integers: division_kernels.h; remainders of floats use libm: per_element.cc.
  if constexpr (kIsFloat<T> || count != Count::kMany) binary(BinaryOp::kDivide, DivideFn());
  if constexpr (count != Count::kMany) binary(BinaryOp::kRemainder, RemainderFn());
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
      if constexpr (F::template kHas<T>) {
        table.combine_at[static_cast<int>(op)][p][0] = &CombineAtLoop<F, LoopType<F, T>, int32_t>;
        table.combine_at[static_cast<int>(op)][p][1] = &CombineAtLoop<F, LoopType<F, T>, int64_t>;
      }
    };
    combine_at(BinaryOp::kAdd, AddFn());
    combine_at(BinaryOp::kMultiply, MultiplyFn());
    combine_at(BinaryOp::kMaximum, MaximumFn());
    combine_at(BinaryOp::kMinimum, MinimumFn());
    combine_at(BinaryOp::kAnd, AndFn());
    combine_at(BinaryOp::kOr, OrFn());
    combine_at(BinaryOp::kXor, XorFn());
  }
  FillSelect<T, count>(table.select[p]);
  auto convert = [&]<class To>(TileType to, To) {
    table.convert[p][static_cast<int>(to)] = ConvertEntry<T, To, count>();
  };
  convert(TileType::kPred, Pred());
  convert(TileType::kS8, int8_t());
  convert(TileType::kU8, uint8_t());
  convert(TileType::kS16, int16_t());
  convert(TileType::kU16, uint16_t());
  convert(TileType::kS32, int32_t());
  convert(TileType::kU32, uint32_t());
  convert(TileType::kS64, int64_t());
  convert(TileType::kU64, uint64_t());
  convert(TileType::kF32, float());
  convert(TileType::kF64, double());
  if constexpr (sizeof(T) >= 4 && !std::is_same_v<T, float>) table.to_odd[p] = &ToOddLoop<T, count>;
  table.splat[p] = &SplatLoop<Word<T>, count>;
  if constexpr (count == Count::kMany) table.iota[p] = &IotaLoop<typename LoopTypeOf<T, true>::type>;
}

template <TileType P, TileType R, Count count>
void FillComplexOf(KernelTable& table) {
  using T = Cpp<P>;
  constexpr int p = static_cast<int>(P);
  auto unary = [&](UnaryOp op) -> TileKernel& { return table.unary[static_cast<int>(op)][p]; };
  unary(UnaryOp::kNegate) = &UnaryLoop<ComplexNegateFn, T, count>;
  unary(UnaryOp::kReal) = &UnaryLoop<RealFn, T, count>;
  unary(UnaryOp::kImag) = &UnaryLoop<ImagFn, T, count>;
  unary(UnaryOp::kConjugate) = &UnaryLoop<ConjugateFn, T, count>;
  auto binary = [&]<class F, class From>(BinaryOp op, int type, F, From) {
    FillBinary<F, From, count>(table.binary[static_cast<int>(op)][type]);
  };
  binary(BinaryOp::kAdd, p, ComplexBinary<BinaryOp::kAdd>(), T());
  binary(BinaryOp::kSubtract, p, ComplexBinary<BinaryOp::kSubtract>(), T());
  binary(BinaryOp::kMultiply, p, ComplexBinary<BinaryOp::kMultiply>(), T());
  binary(BinaryOp::kEq, p, ComplexBinary<BinaryOp::kEq>(), T());
  binary(BinaryOp::kNe, p, ComplexBinary<BinaryOp::kNe>(), T());
  binary(BinaryOp::kComplex, static_cast<int>(R), ComplexFn(), Cpp<R>());
  FillSelect<T, count>(table.select[p]);
  table.splat[p] = &SplatLoop<Word<T>, count>;
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
  } else {
    table.strided_load[0] = &StridedLoadLoop<uint8_t>;
    table.strided_load[1] = &StridedLoadLoop<uint16_t>;
    table.strided_load[2] = &StridedLoadLoop<uint32_t>;
    table.strided_load[3] = &StridedLoadLoop<uint64_t>;
    table.strided_load[4] = &StridedLoadLoop<Pair<double>>;
  }
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
