// The links of chains: see chain_table.h. The operations are implemented on vectors here, because the compiler
// vectorizes functors.h only in loops over memory. Included by isa/*_chains.cc; everything has internal linkage (why:
// isa/isas.def). Tests: tests/unit/loop_chains_test.cc.
#pragma once

#include <utility>

#include "kernels/chain_table.h"
#include "kernels/complex_kernels.h"
#include "kernels/kept_block.h"
#include "kernels/lanes.h"
#include "kernels/math_kernels.h"

namespace hloir::cpu {
namespace {

// The operations, as in functors.h.
template <class L, BinaryOp op, class V = typename L::V>
inline V ApplyBinary(V a, V b) {
  using S [[maybe_unused]] = typename L::S;
  if constexpr (op == BinaryOp::kAdd) return a + b;
  else if constexpr (op == BinaryOp::kSubtract) return a - b;
  else if constexpr (op == BinaryOp::kMultiply) return a * b;
  else if constexpr (op == BinaryOp::kDivide) return a / b;
  else if constexpr (op == BinaryOp::kMaximum || op == BinaryOp::kMinimum) {
    constexpr bool kGreater = op == BinaryOp::kMaximum;
#if defined(__aarch64__)
    return L::Extreme(a, b, kGreater);  // which is a NaN beside one, and knows the zeros' signs
#elif defined(__AVX512DQ__)
    // For a number and a NaN this returns the number, for zeros of both signs the correct one. NaNs are inserted
    // afterwards.
    constexpr int kRange = kGreater ? 5 : 4;
    if constexpr (sizeof(a[0]) == 4) {
      const __m512 x = (__m512)a, y = (__m512)b, best = _mm512_range_ps(x, y, kRange);
      const __m512i nans = _mm512_set1_epi32(0x11);
      return (V)_mm512_fixupimm_ps(_mm512_fixupimm_ps(best, y, nans, 0), x, nans, 0);
    } else {
      const __m512d x = (__m512d)a, y = (__m512d)b, best = _mm512_range_pd(x, y, kRange);
      const __m512i nans = _mm512_set1_epi64(0x11);
      return (V)_mm512_fixupimm_pd(_mm512_fixupimm_pd(best, y, nans, 0), x, nans, 0);
    }
#else
    // x86's extremes return the second operand if either is a NaN or both are zeros. So the two orders differ for a
    // NaN, which stays one if bits are added to it, and for zeros of different signs, which `or` makes -0.
    const V one = L::Extreme(a, b, kGreater), other = L::Extreme(b, a, kGreater);
    if constexpr (!kGreater) return (V)((S)one | (S)other);
    const S difference = (S)one ^ (S)other;
    return (V)((S)one | difference) - (V)difference;  // -0 - -0 is +0, and NaN less anything NaN
#endif
  } else if constexpr (op == BinaryOp::kEq) return (V)(a == b);
  else if constexpr (op == BinaryOp::kNe) return (V)(a != b);
  else if constexpr (op == BinaryOp::kGe) return (V)(a >= b);
  else if constexpr (op == BinaryOp::kGt) return (V)(a > b);
  else if constexpr (op == BinaryOp::kLe) return (V)(a <= b);
  else return (V)(a < b);
}
#if defined(__SSE2__) && !defined(__AVX2__)
// SSE2 shifts all elements by one amount, a number of 64 bits, and everything out from 32 on.
template <BinaryOp op>
inline __m128i ShiftAll(__m128i a, __m128i amount) {
  if constexpr (op == BinaryOp::kShiftLeft) return _mm_sll_epi32(a, amount);
  else if constexpr (op == BinaryOp::kShiftRightLogical) return _mm_srl_epi32(a, amount);
  else return _mm_sra_epi32(a, amount);
}
template <BinaryOp op>
inline __m128i ShiftEach(__m128i a, __m128i b) {
  // An amount below 2^16 has two words, the second of which is 0; from 2^16 on all bits are shifted out anyway.
  const auto even = [](__m128i x) { return _mm_shufflelo_epi16(x, 0x54); };
  const auto odd = [](__m128i x) { return _mm_shufflelo_epi16(x, 0xfe); };
  const __m128i high = _mm_unpackhi_epi64(b, b);
  const __m128i low_pair = _mm_unpacklo_epi64(ShiftAll<op>(a, even(b)), ShiftAll<op>(a, odd(b)));
  const __m128i high_pair = _mm_unpackhi_epi64(ShiftAll<op>(a, even(high)), ShiftAll<op>(a, odd(high)));
  const __m128 both = _mm_shuffle_ps((__m128)low_pair, (__m128)high_pair, _MM_SHUFFLE(3, 0, 3, 0));
  return (__m128i)both;
}
#endif
// `uniform`: all elements of w are one number.
template <class L, BinaryOp op, bool uniform = false, class V = typename L::V>
inline V ApplyInteger(V v, V w) {
  using U = typename L::U;
  const typename L::S a = (typename L::S)v, b = (typename L::S)w;
  [[maybe_unused]] constexpr bool kLong = sizeof(a[0]) == 8;
  if constexpr (op == BinaryOp::kAdd) return (V)((U)a + (U)b);
  else if constexpr (op == BinaryOp::kSubtract) return (V)((U)a - (U)b);
  else if constexpr (op == BinaryOp::kMultiply && sizeof(a[0]) == 1) {
    // Splits words: bytes at even positions, and bytes at odd positions in the upper halves.
    typedef uint16_t Words __attribute__((vector_size(sizeof(V))));
    const Words x = (Words)v, y = (Words)w, even = x * y, odd = (x >> 8) * (y & 0xff00);
    return (V)((even & 0x00ff) | odd);
  } else if constexpr (op == BinaryOp::kMultiply) return (V)((U)a * (U)b);
  else if constexpr (op == BinaryOp::kAnd) return (V)(a & b);
  else if constexpr (op == BinaryOp::kOr) return (V)(a | b);
  else if constexpr (op == BinaryOp::kXor) return (V)(a ^ b);
  else if constexpr (op == BinaryOp::kMaximum) return (V)(a >= b ? a : b);
  else if constexpr (op == BinaryOp::kMinimum) return (V)(a <= b ? a : b);
    // These shift everything out by the width or more, as HLO does.
#if defined(__AVX512F__)
  else if constexpr (op == BinaryOp::kShiftLeft && kLong) return (V)_mm512_sllv_epi64((__m512i)a, (__m512i)b);
  else if constexpr (op == BinaryOp::kShiftLeft) return (V)_mm512_sllv_epi32((__m512i)a, (__m512i)b);
  else if constexpr (op == BinaryOp::kShiftRightLogical && kLong) return (V)_mm512_srlv_epi64((__m512i)a, (__m512i)b);
  else if constexpr (op == BinaryOp::kShiftRightLogical) return (V)_mm512_srlv_epi32((__m512i)a, (__m512i)b);
  else if constexpr (op == BinaryOp::kShiftRightArithmetic && kLong)
    return (V)_mm512_srav_epi64((__m512i)a, (__m512i)b);
  else if constexpr (op == BinaryOp::kShiftRightArithmetic) return (V)_mm512_srav_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  else if constexpr (op == BinaryOp::kShiftLeft && kLong) return (V)_mm256_sllv_epi64((__m256i)a, (__m256i)b);
  else if constexpr (op == BinaryOp::kShiftLeft) return (V)_mm256_sllv_epi32((__m256i)a, (__m256i)b);
  else if constexpr (op == BinaryOp::kShiftRightLogical && kLong) return (V)_mm256_srlv_epi64((__m256i)a, (__m256i)b);
  else if constexpr (op == BinaryOp::kShiftRightLogical) return (V)_mm256_srlv_epi32((__m256i)a, (__m256i)b);
  else if constexpr (op == BinaryOp::kShiftRightArithmetic) return (V)_mm256_srav_epi32((__m256i)a, (__m256i)b);
#elif defined(__aarch64__)
  // There is one shift, to the left by a signed byte.
  else if constexpr (op == BinaryOp::kShiftLeft || op == BinaryOp::kShiftRightLogical ||
                     op == BinaryOp::kShiftRightArithmetic) {
    static_assert(sizeof(a[0]) == 4);
    const int32x4_t amount = vreinterpretq_s32_u32(vminq_u32((uint32x4_t)b, vdupq_n_u32(32)));
    if constexpr (op == BinaryOp::kShiftLeft) return (V)vshlq_u32((uint32x4_t)a, amount);
    else if constexpr (op == BinaryOp::kShiftRightLogical) return (V)vshlq_u32((uint32x4_t)a, vnegq_s32(amount));
    else return (V)vshlq_s32((int32x4_t)a, vnegq_s32(amount));
  }
#elif defined(__SSE2__)
  else if constexpr (op == BinaryOp::kShiftLeft || op == BinaryOp::kShiftRightLogical ||
                     op == BinaryOp::kShiftRightArithmetic) {
    static_assert(sizeof(a[0]) == 4);
    if constexpr (uniform) return (V)ShiftAll<op>((__m128i)a, _mm_srli_epi64((__m128i)b, 32));
    else return (V)ShiftEach<op>((__m128i)a, (__m128i)b);
  }
#endif
  else if constexpr (op == BinaryOp::kEq) return (V)(a == b);
  else if constexpr (op == BinaryOp::kNe) return (V)(a != b);
  else if constexpr (op == BinaryOp::kGe) return (V)(a >= b);
  else if constexpr (op == BinaryOp::kGt) return (V)(a > b);
  else if constexpr (op == BinaryOp::kLe) return (V)(a <= b);
  else return (V)(a < b);
}
// Of integers.
template <class L, UnaryOp op>
struct IntegerUnaryLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V v) {
    using U = typename L::U;
    const typename L::S x = (typename L::S)v, negative = (typename L::S)(U{} - (U)x);
    if constexpr (op == UnaryOp::kNegate) return (V)negative;
    else if constexpr (op == UnaryOp::kNot) return (V)~x;
#if defined(__AVX512F__)
    else if constexpr (sizeof(x[0]) == 4) return (V)_mm512_abs_epi32((__m512i)v);
    else if constexpr (sizeof(x[0]) == 8) return (V)_mm512_abs_epi64((__m512i)v);
#endif
    else return (V)(x >= negative ? x : negative);  // kAbs
  }
};
// For complex numbers with interleaved parts.
template <class L, class P, BinaryOp op, ChainOperand operand, bool second>
struct ComplexBinaryLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    using Parts = typename P::V;
    const Parts a = (Parts)v, b = (Parts)L::Load(at, 0, operand, i);
    return (V)P::template Apply<op>(second ? b : a, second ? a : b);
  }
};
template <class L, class P, UnaryOp op>
struct ComplexUnaryLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V v) {
    const auto turned = P::Turned((typename P::V)v, 1);
    return (V)(op == UnaryOp::kConjugate ? turned : P::Turned(turned, 0));
  }
};
template <class L>
struct ToFloatLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V v) { return __builtin_convertvector((typename L::S)v, V); }
};
template <class L, bool integer>
struct OfMaskLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V mask) {
    using S = typename L::S;
    return (V)((S)mask & (integer ? S{} + 1 : (S)(V{} + 1)));
  }
};

template <class L, UnaryOp op, class V = typename L::V>
inline V ApplyUnary(V x) {
  using U = typename L::U;
  constexpr int kTop = sizeof(x[0]) * 8 - 1;
  const U sign = (U{} + 1) << kTop;
  if constexpr (op == UnaryOp::kAbs) return (V)((U)x & ~sign);
  else if constexpr (op == UnaryOp::kNegate) return (V)((U)x ^ sign);
  else if constexpr (op == UnaryOp::kSqrt) return L::Sqrt(x);
  else if constexpr (op == UnaryOp::kRsqrt) return (V{} + 1) / L::Sqrt(x);
  else if constexpr (op == UnaryOp::kRoundToBf16) {
    const U bits = (U)x, rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (V)((U)L::Blend(x == x, (V)rounded, (V)(bits | 0x00400000u)) & 0xffff0000u);
  } else {
    static_assert(op == UnaryOp::kRoundToF16);
#if defined(HLOIR_HALVES)
    return L::WidenHalves(L::NarrowToHalves(x));
#endif
  }
}

template <class L>
inline void GoOn(const TileOp* at, int64_t i, typename L::V v0, typename L::V v1, typename L::V v2, typename L::V v3,
                 typename L::V v4, typename L::V v5, typename L::V v6, typename L::V v7) {
  ++at;
  return reinterpret_cast<typename L::Link>(reinterpret_cast<void (*)()>(at->kernel))(at, i, v0, v1, v2, v3, v4, v5, v6,
                                                                                      v7);
}
// Makes `next`, and where its operands lie, depend on `done`: the compiler would otherwise interleave all eight, run
// out of registers, and load in another order than that of memory, which no processor prefetches.
template <class V>
inline void InOrder([[maybe_unused]] V& done, [[maybe_unused]] V& next, [[maybe_unused]] int64_t& i) {
#if defined(__x86_64__)
#if defined(__AVX512F__)
  asm("" : "+v"(done), "+v"(next), "+r"(i));
#else
  asm("" : "+x"(done), "+x"(next), "+r"(i));
#endif
#endif
}
// Keeps loads in memory order, before the stores below.
template <class V>
inline void AtOnce([[maybe_unused]] V& v) {
#if defined(__AVX512F__)
  asm volatile("" : "+v"(v));
#elif defined(__x86_64__)
  asm volatile("" : "+x"(v));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(v));
#endif
}
// Do(at, i, v) for each vector of the block, then the next link.
template <class L, class Body, class V = typename L::V>
void LinkOf(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  constexpr int n = L::kCount;
  const TileOp op = *at;  // which stores do not change
  v0 = Body::Do(op, i, v0);
  InOrder(v0, v1, i), v1 = Body::Do(op, i + n, v1);
  InOrder(v1, v2, i), v2 = Body::Do(op, i + 2 * n, v2);
  InOrder(v2, v3, i), v3 = Body::Do(op, i + 3 * n, v3);
  InOrder(v3, v4, i), v4 = Body::Do(op, i + 4 * n, v4);
  InOrder(v4, v5, i), v5 = Body::Do(op, i + 5 * n, v5);
  InOrder(v5, v6, i), v6 = Body::Do(op, i + 6 * n, v6);
  InOrder(v6, v7, i), v7 = Body::Do(op, i + 7 * n, v7);
  return GoOn<L>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
}
// For long operations: a loop instead of eight copies.
template <class L, class F, class T, class Arch, class V = typename L::V>
void MathLink(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  V v[8] = {v0, v1, v2, v3, v4, v5, v6, v7};
#pragma GCC unroll 1
  for (int k = 0; k < 8; ++k) v[k] = L::FromBatch(F::template Apply<T, Arch>(L::Batch(v[k])));
  return GoOn<L>(at, i, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}

// For those of medium length: eight copies, whose constants are operands in memory, while the block stays in registers.
template <class L, class F, class T, class Arch, bool usual>
struct FunctionLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V v) {
    if constexpr (usual) return L::FromBatch(F::template Usual<T, Arch>(L::Batch(v)));
    else return L::FromBatch(F::template Apply<T, Arch>(L::Batch(v)));
  }
};
// The range is tested once for the whole block.
template <class L, class F, class T, class Arch, class V = typename L::V>
void UsualMathLink(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  const xsimd::batch<T, Arch> limit(F::template kUsual<T>);
  bool within;
  if constexpr (sizeof(T) == 4 && L::kBytes > 16) {
    // As whole numbers, floats without sign have the same order, with NaNs last.
    using S = typename L::S;
    const auto size = [](V v) { return (S)ApplyUnary<L, UnaryOp::kAbs>(v); };
    const auto larger = [](S a, S b) { return a > b ? a : b; };
    const S most = larger(larger(larger(size(v0), size(v1)), larger(size(v2), size(v3))),
                          larger(larger(size(v4), size(v5)), larger(size(v6), size(v7))));
    within = xsimd::all(L::Batch((V)most) <= limit);
  } else {
    const auto usual = [=](V v) { return xsimd::abs(L::Batch(v)) <= limit; };
    auto all = usual(v0);
    for (const V& v : {v1, v2, v3, v4, v5, v6, v7}) all = all & usual(v);
    within = xsimd::all(all);
  }
  if (within) return LinkOf<L, FunctionLink<L, F, T, Arch, true>>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
  return MathLink<L, F, T, Arch>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
}

template <class L, ChainOperand operand, class V = typename L::V>
void LoadLink(const TileOp* at, int64_t i) {
  V v[8];
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    v[k] = L::Load(*at, 0, operand, i + k * L::kCount);
    AtOnce(v[k]);  // compilers would reverse the order, which defeats hardware prefetching
  }
  return GoOn<L>(at, i, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}
#if defined(__AVX2__)
// Of runs at least as long as a vector, which has elements of two of them at most.
template <class L, class V = typename L::V>
void LoadRunsLink(const TileOp* at, int64_t i) {
  constexpr uint32_t kCount = L::kCount;
  constexpr intptr_t kSize = L::kBytes / L::kCount;
  const intptr_t runs = reinterpret_cast<intptr_t>(at->in[1]), distance = (runs >> kRunBits) * kSize;
  const uint32_t first = static_cast<uint32_t>(reinterpret_cast<intptr_t>(at->in[2]) + i),
                 length = static_cast<uint32_t>(runs & kLongestRun), run = first / length;
  uint32_t left = length - (first - run * length);                               // of the run
  intptr_t next = reinterpret_cast<intptr_t>(at->in[0]) + (run + 1) * distance,  // the next run
      end = next - distance + static_cast<intptr_t>(length) * kSize;             // of this one
  V v[8];
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    const void* const from = reinterpret_cast<const void*>(end - left * kSize);
    if (left >= kCount) v[k] = L::template LoadAs<V>(from);  // the order of these repeats, so that it can be predicted
    else v[k] = L::LoadParts(from, reinterpret_cast<const void*>(next - left * kSize), left);
    AtOnce(v[k]);
    const bool ends = left <= kCount;
    left = ends ? left + length - kCount : left - kCount;
    end = ends ? next + static_cast<intptr_t>(length) * kSize : end;
    next = ends ? next + distance : next;
  }
  return GoOn<L>(at, i, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}
#endif
#if HLOIR_KEEPS_BLOCK
// Keeps the block, and goes on as LoadLink with another one.
template <class L, ChainOperand operand, class V = typename L::V>
void KeepLink(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  kept0 = (KeptVector)v0, kept1 = (KeptVector)v1, kept2 = (KeptVector)v2, kept3 = (KeptVector)v3;
  kept4 = (KeptVector)v4, kept5 = (KeptVector)v5, kept6 = (KeptVector)v6, kept7 = (KeptVector)v7;
  return LoadLink<L, operand>(at, i);
}
// Keeps Do(at, i, v) for each vector of the block, which stays.
template <class L, class Body, class V = typename L::V>
void KeepResultLink(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  constexpr int n = L::kCount;
  const TileOp op = *at;
  kept0 = (KeptVector)Body::Do(op, i, v0), kept1 = (KeptVector)Body::Do(op, i + n, v1);
  kept2 = (KeptVector)Body::Do(op, i + 2 * n, v2), kept3 = (KeptVector)Body::Do(op, i + 3 * n, v3);
  kept4 = (KeptVector)Body::Do(op, i + 4 * n, v4), kept5 = (KeptVector)Body::Do(op, i + 5 * n, v5);
  kept6 = (KeptVector)Body::Do(op, i + 6 * n, v6), kept7 = (KeptVector)Body::Do(op, i + 7 * n, v7);
  return GoOn<L>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
}
// Do(at, i, v, kept) for each vector of the block and of the kept one.
template <class L, class Body, class V = typename L::V>
void KeptLinkOf(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  constexpr int n = L::kCount;
  const TileOp op = *at;
  v0 = Body::Do(op, i, v0, (V)kept0);
  InOrder(v0, v1, i), v1 = Body::Do(op, i + n, v1, (V)kept1);
  InOrder(v1, v2, i), v2 = Body::Do(op, i + 2 * n, v2, (V)kept2);
  InOrder(v2, v3, i), v3 = Body::Do(op, i + 3 * n, v3, (V)kept3);
  InOrder(v3, v4, i), v4 = Body::Do(op, i + 4 * n, v4, (V)kept4);
  InOrder(v4, v5, i), v5 = Body::Do(op, i + 5 * n, v5, (V)kept5);
  InOrder(v5, v6, i), v6 = Body::Do(op, i + 6 * n, v6, (V)kept6);
  InOrder(v6, v7, i), v7 = Body::Do(op, i + 7 * n, v7, (V)kept7);
  return GoOn<L>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
}
#endif
template <class L, ChainResult result, class V = typename L::V>
void LastLink(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  constexpr int n = L::kCount;
  const TileOp op = *at;
  const auto store = [&op](int64_t place, V v) { L::template Store<result>(op, place, v); };
  store(i, v0), store(i + n, v1), store(i + 2 * n, v2), store(i + 3 * n, v3), store(i + 4 * n, v4),
      store(i + 5 * n, v5), store(i + 6 * n, v6), store(i + 7 * n, v7);
}
template <class L, ChainResult result>
struct StoreLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    L::template Store<result>(at, i, v);
    return v;
  }
};
template <class L, UnaryOp op>
struct UnaryLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V v) { return ApplyUnary<L, op>(v); }
};
template <class L, BinaryOp op, bool integer, bool uniform = false, class V = typename L::V>
inline V Apply(V a, V b) {
  if constexpr (integer) return ApplyInteger<L, op, uniform>(a, b);
  else return ApplyBinary<L, op>(a, b);
}
template <class L, BinaryOp op, ChainOperand operand, bool second, bool integer>
struct BinaryLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    const V x = L::Load(at, 0, operand, i);
    if constexpr (second) return Apply<L, op, integer>(x, v);
    else return Apply<L, op, integer, operand == ChainOperand::kScalar>(v, x);
  }
};
// Begins a chain by an operation of a scalar.
template <class L, BinaryOp op, bool second, class V = typename L::V>
void BeginLink(const TileOp* at, int64_t i) {
  constexpr int n = L::kCount;
  const auto begin = [at](int64_t place) {
    const V x = L::Load(*at, 1, ChainOperand::kVector, place);
    V v = BinaryLink<L, op, ChainOperand::kScalar, second, false>::Do(*at, place, x);
    AtOnce(v);
    return v;
  };
  const V v0 = begin(i), v1 = begin(i + n), v2 = begin(i + 2 * n), v3 = begin(i + 3 * n), v4 = begin(i + 4 * n),
          v5 = begin(i + 5 * n), v6 = begin(i + 6 * n), v7 = begin(i + 7 * n);
  return GoOn<L>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
}
// The result goes to memory, and the block stays.
template <class L, BinaryOp op, ChainOperand operand, bool second, bool integer>
struct AsideLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    L::template Store<ChainResult::kVector>(at, i, BinaryLink<L, op, operand, second, integer>::Do(at, i, v));
    return v;
  }
};
#if defined(__x86_64__) && !defined(__AVX512F__)
// The maximum of the block and a number: x86's, which is the block's element if that is a NaN or both are zeros, plus
// -0, which changes nothing; plus +0 if the limit is +0, which makes -0 that too; or plus a limit that is NaN. With
// AVX-512 this is no faster than ApplyBinary.
template <class L, class T, class V = typename L::V>
void LimitLink(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  using Bits = Unsigned<T>;
  const T number = *static_cast<const T*>(at->in[0]);
  const Bits bits = __builtin_bit_cast(Bits, number), sign = Bits(1) << (kBits<T> - 1);
  const V limit = (V)L::SplatBits(bits), added = (V)L::SplatBits(bits == 0 || number != number ? bits : sign);
  const auto above = [=](V v) { return L::Extreme(limit, v, true) + added; };
  return GoOn<L>(at, i, above(v0), above(v1), above(v2), above(v3), above(v4), above(v5), above(v6), above(v7));
}
#endif
template <class L, BinaryOp outer, BinaryOp inner, bool second, bool of_block, bool integer>
struct NestedLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    const V s = L::Load(at, 1, ChainOperand::kScalar, i);
    const V x = Apply<L, inner, integer, true>(of_block ? v : L::Load(at, 0, ChainOperand::kVector, i), s);
    return second ? Apply<L, outer, integer>(x, v) : Apply<L, outer, integer>(v, x);
  }
};
template <class L, ChainOperand factor, ChainOperand addend>
struct MultiplyAddLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) { return v * L::Load(at, 0, factor, i) + L::Load(at, 1, addend, i); }
};
template <class L>
struct PolynomialLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    const V x = L::Load(at, 0, ChainOperand::kVector, i);
    const V once = v * x + L::Load(at, 1, ChainOperand::kScalar, i);
    return once * x + L::Load(at, 2, ChainOperand::kScalar, i);
  }
};
template <class L, bool integer>
struct SquareLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V v) { return Apply<L, BinaryOp::kMultiply, integer>(v, v); }
};
template <class L, class V = typename L::V>
inline V Rotated(V v, V left, V right, [[maybe_unused]] bool whole) {
#if defined(__AVX512F__)
  if (whole) return (V)_mm512_rolv_epi32((__m512i)v, (__m512i)left);
#endif
  return Apply<L, BinaryOp::kOr, true>(Apply<L, BinaryOp::kShiftLeft, true, true>(v, left),
                                       Apply<L, BinaryOp::kShiftRightLogical, true, true>(v, right));
}
// True if (v << left) | (v >> right) is a rotation.
inline bool IsWhole(const void* left, const void* right) {
  const uint32_t l = *static_cast<const uint32_t*>(left);
  return l <= 32 && *static_cast<const uint32_t*>(right) == 32 - l;
}
template <class L>
struct RotateLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    return Rotated<L>(v, L::Load(at, 0, ChainOperand::kScalar, i), L::Load(at, 1, ChainOperand::kScalar, i),
                      IsWhole(at.in[0], at.in[1]));
  }
};
// `whole`: the rotation is known to be one, or no instruction rotates.
template <class L, bool whole, class V = typename L::V>
void MixLink(const TileOp* at, int64_t i, HLOIR_BLOCK) {
  if constexpr (!whole) {
    if (IsWhole(at->in[1], at->in[2])) return MixLink<L, true>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
  }
  const TileOp op = *at;
  const V left = L::Load(op, 1, ChainOperand::kScalar, i), right = L::Load(op, 2, ChainOperand::kScalar, i);
  const auto mix = [&](int64_t place, V v) {
    const V sum = Apply<L, BinaryOp::kAdd, true>(L::Load(op, 0, ChainOperand::kVector, place), v);
    L::template Store<ChainResult::kVector>(op, place, sum);
    return Apply<L, BinaryOp::kXor, true>(Rotated<L>(v, left, right, whole), sum);
  };
  constexpr int n = L::kCount;
  v0 = mix(i, v0);
  InOrder(v0, v1, i), v1 = mix(i + n, v1);
  InOrder(v1, v2, i), v2 = mix(i + 2 * n, v2);
  InOrder(v2, v3, i), v3 = mix(i + 3 * n, v3);
  InOrder(v3, v4, i), v4 = mix(i + 4 * n, v4);
  InOrder(v4, v5, i), v5 = mix(i + 5 * n, v5);
  InOrder(v5, v6, i), v6 = mix(i + 6 * n, v6);
  InOrder(v6, v7, i), v7 = mix(i + 7 * n, v7);
  return GoOn<L>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
}
template <class L>
struct SpreadLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    const V product = Apply<L, BinaryOp::kMultiply, true>(v, L::Load(at, 2, ChainOperand::kScalar, i));
    const V shift = L::Load(at, 1, ChainOperand::kScalar, i);
    return Apply<L, BinaryOp::kXor, true>(product, Apply<L, BinaryOp::kShiftRightLogical, true, true>(product, shift));
  }
};
template <class L>
struct BesideLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    const V sum = Apply<L, BinaryOp::kAdd, true>(L::Load(at, 0, ChainOperand::kVector, i),
                                                 L::Load(at, 1, ChainOperand::kScalar, i));
    L::template Store<ChainResult::kVector>(at, i, sum);
    return v;
  }
};
constexpr ChainOperand Kind(bool scalar) { return scalar ? ChainOperand::kScalar : ChainOperand::kVector; }
template <class L, OperandMode mode>
struct SelectLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V mask) {
    const V x = L::Load(at, 0, Kind(mode & kScalarVector), i), y = L::Load(at, 1, Kind(mode & kVectorScalar), i);
    return L::Blend((typename L::S)mask, x, y);
  }
};
template <class L, bool unset, bool scalar>
struct SelectByLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    const typename L::S none = L::Zeros(static_cast<const uint8_t*>(at.in[0]) + i);
    const V other = L::Load(at, 1, Kind(scalar), i);
    return unset ? L::Blend(none, v, other) : L::Blend(none, other, v);
  }
};
template <class L, BinaryOp op, bool integer, bool b_scalar, bool unset, bool scalar>
struct SelectIfLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    const V a = L::Load(at, 0, ChainOperand::kVector, i), b = L::Load(at, 1, Kind(b_scalar), i);
    const V other = L::Load(at, 2, Kind(scalar), i);
    const auto mask = (typename L::S)Apply<L, op, integer>(a, b);
    return unset ? L::Blend(mask, other, v) : L::Blend(mask, v, other);
  }
};
template <class L, BinaryOp op, bool unset>
struct SelectProductIfLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v) {
    V a = L::Load(at, 0, ChainOperand::kVector, i);
    AtOnce(a);  // or g++ reads it twice, often across cache lines
    const V product = a * L::Load(at, 2, ChainOperand::kVector, i);
    const auto mask = (typename L::S)Apply<L, op, false>(a, L::Load(at, 1, ChainOperand::kScalar, i));
    return unset ? L::Blend(mask, product, v) : L::Blend(mask, v, product);
  }
};
// Of KeptLinkOf.
template <class L, BinaryOp op, bool second, bool integer>
struct BinaryKeptLink {
  using V = typename L::V;
  static V Do(const TileOp&, int64_t, V v, V kept) {
    return second ? Apply<L, op, integer>(kept, v) : Apply<L, op, integer>(v, kept);
  }
};
template <class L, bool unset>
struct SelectByKeptLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v, V kept) {
    const typename L::S none = L::Zeros(static_cast<const uint8_t*>(at.in[0]) + i);
    return unset ? L::Blend(none, v, kept) : L::Blend(none, kept, v);
  }
};
template <class L, BinaryOp op, bool integer, bool b_scalar, bool unset>
struct SelectIfKeptLink {
  using V = typename L::V;
  static V Do(const TileOp& at, int64_t i, V v, V kept) {
    const V a = L::Load(at, 0, ChainOperand::kVector, i), b = L::Load(at, 1, Kind(b_scalar), i);
    const auto mask = (typename L::S)Apply<L, op, integer>(a, b);
    return unset ? L::Blend(mask, kept, v) : L::Blend(mask, v, kept);
  }
};

// Types for links.
template <class F>
TileKernel Entry(F* link) {
  return reinterpret_cast<TileKernel>(reinterpret_cast<void (*)()>(link));
}

template <class L, BinaryOp op, ChainOperand operand, bool integer = false>
void FillLinksOfBinary(TileKernel (&entries)[2]) {
  entries[0] = Entry(&LinkOf<L, BinaryLink<L, op, operand, false, integer>>);
  entries[1] = Entry(&LinkOf<L, BinaryLink<L, op, operand, true, integer>>);
}
// With a kept block: for all ops that have links of their own.
template <class L, BinaryOp op, ChainType P>
void FillLinksOfKept([[maybe_unused]] ChainTable& table) {
#if HLOIR_KEEPS_BLOCK
  constexpr bool kInteger = P != ChainType::kF32 && P != ChainType::kF64;
  auto& entries = table.binary_kept[static_cast<int>(op)][static_cast<int>(P)];
  entries[0] = Entry(&KeptLinkOf<L, BinaryKeptLink<L, op, false, kInteger>>);
  entries[1] = Entry(&KeptLinkOf<L, BinaryKeptLink<L, op, true, kInteger>>);
#endif
}
template <class L, ChainType P, ChainOperand operand>
void FillLoads(ChainTable& table) {
  table.load[static_cast<int>(P)][static_cast<int>(operand)] = Entry(&LoadLink<L, operand>);
#if HLOIR_KEEPS_BLOCK
  table.keep[static_cast<int>(P)][static_cast<int>(operand)] = Entry(&KeepLink<L, operand>);
#endif
}
template <class L, ChainType P, int outer, int inner>
void FillLinksOfNested(ChainTable& table) {
  constexpr BinaryOp kOuter = kOuterOps[outer], kInner = kInnerOps[inner];
  constexpr bool kInteger = P == ChainType::kS32, kExchange = kInteger && kOuter != BinaryOp::kSubtract;
  auto& entries = table.nested[outer][inner][static_cast<int>(P)];
  entries[0][0] = Entry(&LinkOf<L, NestedLink<L, kOuter, kInner, false, false, kInteger>>);
  entries[0][1] = Entry(&LinkOf<L, NestedLink<L, kOuter, kInner, false, true, kInteger>>);
  entries[1][0] = Entry(&LinkOf<L, NestedLink<L, kOuter, kInner, !kExchange, false, kInteger>>);
  entries[1][1] = Entry(&LinkOf<L, NestedLink<L, kOuter, kInner, !kExchange, true, kInteger>>);
}
// For the first `outers` and `inners` of the lists.
template <class L, ChainType P, int outers, int inners>
void FillLinksOfNesteds(ChainTable& table) {
  [&]<int... pair>(std::integer_sequence<int, pair...>) {
    (FillLinksOfNested<L, P, pair / inners, pair % inners>(table), ...);
  }
  (std::make_integer_sequence<int, outers * inners>());
}
// The first three of kOuterOps, with vectors over 16 bytes.
template <class L>
void FillLinksOfBegins([[maybe_unused]] ChainTable& table) {
  if constexpr (L::kBytes > 16) {
    [&]<int... m>(std::integer_sequence<int, m...>) {
      ((table.begin[m >> 1][m & 1] = Entry(&BeginLink<L, kOuterOps[m >> 1], (m & 1) != 0>)), ...);
    }
    (std::make_integer_sequence<int, 6>());
  }
}
// For the first `ops` of kOuterOps.
template <class L, ChainType P, int ops>
void FillLinksOfAsides([[maybe_unused]] ChainTable& table) {
  constexpr bool kInteger = P != ChainType::kF32 && P != ChainType::kF64;
#if HLOIR_KEEPS_BLOCK
  if constexpr (L::kBytes / L::kCount == 4) {
    [&]<int... m>(std::integer_sequence<int, m...>) {
      ((table.keep_result[m >> 2][static_cast<int>(P)][m >> 1 & 1][m & 1] = Entry(
            &KeepResultLink<L, BinaryLink<L, kOuterOps[m >> 2], Kind((m >> 1 & 1) != 0), (m & 1) != 0, kInteger>>)),
       ...);
    }
    (std::make_integer_sequence<int, 12>());
  }
#else
  [&]<int... m>(std::integer_sequence<int, m...>) {
    ((table.aside[m >> 2][static_cast<int>(P)][m >> 1 & 1][m & 1] =
          Entry(&LinkOf<L, AsideLink<L, kOuterOps[m >> 2], Kind((m >> 1 & 1) != 0), (m & 1) != 0, kInteger>>)),
     ...);
  }
  (std::make_integer_sequence<int, 4 * ops>());
#endif
}
template <class L, BinaryOp op, ChainType P>
void FillLinksOfCompare(ChainTable& table) {
  constexpr int p = static_cast<int>(P);
  constexpr bool kInteger = P != ChainType::kF32 && P != ChainType::kF64;
  auto& entries = table.binary[static_cast<int>(op)][p];
  FillLinksOfBinary<L, op, ChainOperand::kVector, kInteger>(entries[0]);
  FillLinksOfBinary<L, op, ChainOperand::kScalar, kInteger>(entries[1]);
  auto& selects = table.select_if[static_cast<int>(op) - static_cast<int>(BinaryOp::kEq)][p];
  [&]<int... m>(std::integer_sequence<int, m...>) {
    ((selects[m & 1][m >> 1 & 1][m >> 2] =
          Entry(&LinkOf<L, SelectIfLink<L, op, kInteger, (m & 1) != 0, (m >> 1 & 1) != 0, (m >> 2) != 0>>)),
     ...);
  }
  (std::make_integer_sequence<int, 8>());
  if constexpr (P == ChainType::kF32 && L::kBytes > 16) {
    auto& products = table.select_product_if[static_cast<int>(op) - static_cast<int>(BinaryOp::kEq)];
    products[0] = Entry(&LinkOf<L, SelectProductIfLink<L, op, false>>);
    products[1] = Entry(&LinkOf<L, SelectProductIfLink<L, op, true>>);
  }
#if HLOIR_KEEPS_BLOCK
  auto& kept = table.select_if_kept[static_cast<int>(op) - static_cast<int>(BinaryOp::kEq)][p];
  [&]<int... m>(std::integer_sequence<int, m...>) {
    ((kept[m & 1][m >> 1] = Entry(&KeptLinkOf<L, SelectIfKeptLink<L, op, kInteger, (m & 1) != 0, (m >> 1) != 0>>)),
     ...);
  }
  (std::make_integer_sequence<int, 4>());
#endif
}
template <class L, ChainType P>
void FillLinksOfCompares(ChainTable& table) {
  FillLinksOfCompare<L, BinaryOp::kEq, P>(table);
  FillLinksOfCompare<L, BinaryOp::kNe, P>(table);
  FillLinksOfCompare<L, BinaryOp::kGe, P>(table);
  FillLinksOfCompare<L, BinaryOp::kGt, P>(table);
  FillLinksOfCompare<L, BinaryOp::kLe, P>(table);
  FillLinksOfCompare<L, BinaryOp::kLt, P>(table);
}
template <class L, ChainType P, ChainResult result>
void FillStores(ChainTable& table) {
  auto& entries = table.store[static_cast<int>(P)][static_cast<int>(result)];
  entries[0] = Entry(&LinkOf<L, StoreLink<L, result>>);
  entries[1] = Entry(&LastLink<L, result>);
}
// The kernels shared by all types of a size.
template <class L, ChainType P>
void FillMovesOf(ChainTable& table) {
  constexpr int p = static_cast<int>(P);
  table.elements[p] = 8 * L::kCount;
  FillLoads<L, P, ChainOperand::kVector>(table);
  if constexpr (P == ChainType::kF32 || P == ChainType::kF64) FillLoads<L, P, ChainOperand::kPred>(table);
#if defined(__AVX2__)
  if constexpr (P == ChainType::kF32 || P == ChainType::kF64)
    table.load[p][static_cast<int>(ChainOperand::kRuns)] = Entry(&LoadRunsLink<L>);
#endif
  FillStores<L, P, ChainResult::kVector>(table);
  FillStores<L, P, ChainResult::kPred>(table);
#if defined(__SSE2__)
  FillStores<L, P, ChainResult::kStreamed>(table);
#endif
  table.select[p][kVectorVector] = Entry(&LinkOf<L, SelectLink<L, kVectorVector>>);
  table.select[p][kVectorScalar] = Entry(&LinkOf<L, SelectLink<L, kVectorScalar>>);
  table.select[p][kScalarVector] = Entry(&LinkOf<L, SelectLink<L, kScalarVector>>);
  table.select[p][kScalarScalar] = Entry(&LinkOf<L, SelectLink<L, kScalarScalar>>);
  table.select_by[p][0][0] = Entry(&LinkOf<L, SelectByLink<L, false, false>>);
  table.select_by[p][0][1] = Entry(&LinkOf<L, SelectByLink<L, false, true>>);
  table.select_by[p][1][0] = Entry(&LinkOf<L, SelectByLink<L, true, false>>);
  table.select_by[p][1][1] = Entry(&LinkOf<L, SelectByLink<L, true, true>>);
#if HLOIR_KEEPS_BLOCK
  table.select_by_kept[p][0] = Entry(&KeptLinkOf<L, SelectByKeptLink<L, false>>);
  table.select_by_kept[p][1] = Entry(&KeptLinkOf<L, SelectByKeptLink<L, true>>);
#endif
}
template <class T, class Arch, ChainType P>
void FillChainsOf(ChainTable& table) {
  using L = Lanes<T, Arch>;
  constexpr int p = static_cast<int>(P);
  constexpr bool kNarrow = P == ChainType::kF32;
#if defined(HLOIR_HALVES)
  constexpr bool kHalf = kNarrow;
#else
  constexpr bool kHalf = false;
#endif
  constexpr int kBf16 = static_cast<int>(ChainOperand::kBf16), kF16 = static_cast<int>(ChainOperand::kF16);
  FillMovesOf<L, P>(table);
  auto unary = [&]<UnaryOp op>() { table.unary[static_cast<int>(op)][p] = Entry(&LinkOf<L, UnaryLink<L, op>>); };
  unary.template operator()<UnaryOp::kAbs>();
  unary.template operator()<UnaryOp::kNegate>();
  unary.template operator()<UnaryOp::kSqrt>();
  unary.template operator()<UnaryOp::kRsqrt>();
  if constexpr (kNarrow) {
    FillLoads<L, P, ChainOperand::kBf16>(table);
    FillStores<L, P, ChainResult::kBf16>(table);
    unary.template operator()<UnaryOp::kRoundToBf16>();
  }
  if constexpr (kHalf) {
    FillLoads<L, P, ChainOperand::kF16>(table);
    FillStores<L, P, ChainResult::kF16>(table);
    unary.template operator()<UnaryOp::kRoundToF16>();
  }
  auto math = [&]<class F>(UnaryOp op, F) { table.unary[static_cast<int>(op)][p] = Entry(&MathLink<L, F, T, Arch>); };
  auto copies = [&]<class F>(UnaryOp op, F) {
    table.unary[static_cast<int>(op)][p] = Entry(&LinkOf<L, FunctionLink<L, F, T, Arch, false>>);
  };
  auto usual = [&]<class F>(UnaryOp op, F) {
    table.unary[static_cast<int>(op)][p] = Entry(&UsualMathLink<L, F, T, Arch>);
  };
  usual(UnaryOp::kExp, ExpFn());
  copies(UnaryOp::kExpm1, Expm1Fn());
  math(UnaryOp::kLog, LogFn());
  copies(UnaryOp::kLog1p, Log1pFn());
  copies(UnaryOp::kTanh, TanhFn());
  usual(UnaryOp::kLogistic, LogisticFn());
  math(UnaryOp::kSin, SinCosFn<false>());
  math(UnaryOp::kCos, SinCosFn<true>());
  if constexpr (kNarrow) math(UnaryOp::kErf, ErfF32Fn());
  auto binary = [&]<BinaryOp op>() {
    auto& entries = table.binary[static_cast<int>(op)][p];
    FillLinksOfBinary<L, op, ChainOperand::kVector>(entries[0]);
    FillLinksOfBinary<L, op, ChainOperand::kScalar>(entries[1]);
    if constexpr (kNarrow) FillLinksOfBinary<L, op, ChainOperand::kBf16>(entries[kBf16]);
    if constexpr (kHalf) FillLinksOfBinary<L, op, ChainOperand::kF16>(entries[kF16]);
    FillLinksOfKept<L, op, P>(table);
  };
  binary.template operator()<BinaryOp::kAdd>();
  binary.template operator()<BinaryOp::kSubtract>();
  binary.template operator()<BinaryOp::kMultiply>();
  binary.template operator()<BinaryOp::kDivide>();
  binary.template operator()<BinaryOp::kMaximum>();
  binary.template operator()<BinaryOp::kMinimum>();
#if defined(__x86_64__) && !defined(__AVX512F__)
  for (TileKernel& limit : table.binary[static_cast<int>(BinaryOp::kMaximum)][p][1]) limit = Entry(&LimitLink<L, T>);
#endif
  FillLinksOfCompares<L, P>(table);
  FillLinksOfNesteds<L, P, 3, 3>(table);
  FillLinksOfAsides<L, P, 3>(table);
  if constexpr (P == ChainType::kF32) FillLinksOfBegins<L>(table);
  table.square[p] = Entry(&LinkOf<L, SquareLink<L, false>>);
  constexpr ChainOperand kVector = ChainOperand::kVector, kScalar = ChainOperand::kScalar;
  table.multiply_add[p][0][0] = Entry(&LinkOf<L, MultiplyAddLink<L, kVector, kVector>>);
  table.multiply_add[p][0][1] = Entry(&LinkOf<L, MultiplyAddLink<L, kVector, kScalar>>);
  table.multiply_add[p][1][0] = Entry(&LinkOf<L, MultiplyAddLink<L, kScalar, kVector>>);
  table.multiply_add[p][1][1] = Entry(&LinkOf<L, MultiplyAddLink<L, kScalar, kScalar>>);
  table.polynomial[p] = Entry(&LinkOf<L, PolynomialLink<L>>);
  table.of_mask[p] = Entry(&LinkOf<L, OfMaskLink<L, false>>);
}

template <class L, ChainType P>
void FillIntegersOf(ChainTable& table) {
  constexpr int p = static_cast<int>(P);
  auto unary = [&]<UnaryOp op>() { table.unary[static_cast<int>(op)][p] = Entry(&LinkOf<L, IntegerUnaryLink<L, op>>); };
  unary.template operator()<UnaryOp::kNegate>();
  unary.template operator()<UnaryOp::kNot>();
  table.of_mask[p] = Entry(&LinkOf<L, OfMaskLink<L, true>>);
  auto binary = [&]<BinaryOp op>() {
    auto& entries = table.binary[static_cast<int>(op)][p];
    FillLinksOfBinary<L, op, ChainOperand::kVector, true>(entries[0]);
    FillLinksOfBinary<L, op, ChainOperand::kScalar, true>(entries[1]);
    FillLinksOfKept<L, op, P>(table);
  };
  binary.template operator()<BinaryOp::kAdd>();
  binary.template operator()<BinaryOp::kSubtract>();
  binary.template operator()<BinaryOp::kMultiply>();
  binary.template operator()<BinaryOp::kAnd>();
  binary.template operator()<BinaryOp::kOr>();
  binary.template operator()<BinaryOp::kXor>();
  table.square[p] = Entry(&LinkOf<L, SquareLink<L, true>>);
#if defined(__AVX2__)
  constexpr bool kShifts = P == ChainType::kS32 || P == ChainType::kS64, kCompares = true;
#elif defined(__aarch64__)
  constexpr bool kShifts = P == ChainType::kS32, kCompares = true;
#else
  constexpr bool kShifts = P == ChainType::kS32, kCompares = P != ChainType::kS64;
#endif
  if constexpr (kCompares) {
    unary.template operator()<UnaryOp::kAbs>();
    binary.template operator()<BinaryOp::kMaximum>();
    binary.template operator()<BinaryOp::kMinimum>();
    FillLinksOfCompares<L, P>(table);
  }
  if constexpr (kShifts) {
    binary.template operator()<BinaryOp::kShiftLeft>();
    binary.template operator()<BinaryOp::kShiftRightLogical>();
    // AVX2 has none of 64 bits.
    if constexpr (P == ChainType::kS32 || L::kBytes == 64)
      binary.template operator()<BinaryOp::kShiftRightArithmetic>();
  }
  if constexpr (P == ChainType::kS32) FillLinksOfNesteds<L, P, 6, kShifts ? 6 : 3>(table);
  if constexpr (P == ChainType::kS32 || P == ChainType::kS64) FillLinksOfAsides<L, P, 6>(table);
  if constexpr (P == ChainType::kS32 && kShifts) {
    table.rotate = Entry(&LinkOf<L, RotateLink<L>>);
    table.mix = Entry(&MixLink<L, L::kBytes != 64>);
    table.spread = Entry(&LinkOf<L, SpreadLink<L>>);
    table.beside = Entry(&LinkOf<L, BesideLink<L>>);
  }
}
template <class T, class Arch, ChainType P>
void FillNarrowIntegers(ChainTable& table) {
  FillMovesOf<Lanes<T, Arch>, P>(table);
  FillIntegersOf<Lanes<T, Arch>, P>(table);
}
// In the blocks of another type, of the same size.
template <ChainType P, ChainType other>
void ShareMoves(ChainTable& table) {
  constexpr int p = static_cast<int>(P), o = static_cast<int>(other);
  table.elements[p] = table.elements[o];
  for (const ChainOperand operand : {ChainOperand::kVector, ChainOperand::kRuns, ChainOperand::kPred})
    table.load[p][static_cast<int>(operand)] = table.load[o][static_cast<int>(operand)];
  table.keep[p][0] = table.keep[o][0];
  // A block that began as integers may end as a narrow float.
  for (int r = 0; r < kChainResults; ++r)
    for (int last : {0, 1}) table.store[p][r][last] = table.store[o][r][last];
}
// Numbers of two floats.
template <class Arch>
void FillComplex(ChainTable& table) {
  using L = Lanes<double, Arch>;
  using P = PartVectorsOf<float, L::kBytes>;
  constexpr int p = static_cast<int>(ChainType::kC64);
  auto unary = [&]<UnaryOp op>() {
    table.unary[static_cast<int>(op)][p] = Entry(&LinkOf<L, ComplexUnaryLink<L, P, op>>);
  };
  unary.template operator()<UnaryOp::kNegate>();
  unary.template operator()<UnaryOp::kConjugate>();
  auto binary = [&]<BinaryOp op>() {
    auto& entries = table.binary[static_cast<int>(op)][p];
    constexpr ChainOperand kVector = ChainOperand::kVector, kScalar = ChainOperand::kScalar;
    entries[0][0] = Entry(&LinkOf<L, ComplexBinaryLink<L, P, op, kVector, false>>);
    entries[0][1] = Entry(&LinkOf<L, ComplexBinaryLink<L, P, op, kVector, true>>);
    entries[1][0] = Entry(&LinkOf<L, ComplexBinaryLink<L, P, op, kScalar, false>>);
    entries[1][1] = Entry(&LinkOf<L, ComplexBinaryLink<L, P, op, kScalar, true>>);
  };
  binary.template operator()<BinaryOp::kAdd>();
  binary.template operator()<BinaryOp::kSubtract>();
  binary.template operator()<BinaryOp::kMultiply>();
}

template <class Arch>
ChainTable MakeChains() {
  ChainTable table = {};
  FillChainsOf<float, Arch, ChainType::kF32>(table);
  FillChainsOf<double, Arch, ChainType::kF64>(table);
  ShareMoves<ChainType::kS32, ChainType::kF32>(table);
  FillIntegersOf<Lanes<float, Arch>, ChainType::kS32>(table);
  ShareMoves<ChainType::kS64, ChainType::kF64>(table);
  FillIntegersOf<Lanes<double, Arch>, ChainType::kS64>(table);
  table.to_f32 = Entry(&LinkOf<Lanes<float, Arch>, ToFloatLink<Lanes<float, Arch>>>);
  FillNarrowIntegers<int16_t, Arch, ChainType::kS16>(table);
  FillNarrowIntegers<int8_t, Arch, ChainType::kS8>(table);
  ShareMoves<ChainType::kC64, ChainType::kF64>(table);
  FillComplex<Arch>(table);
  return table;
}

#undef HLOIR_BLOCK

}  // namespace
}  // namespace hloir::cpu
