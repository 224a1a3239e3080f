// Division of integers of up to 32 bits by vectors, for which no instruction set has an instruction: by a quotient of
// floats. It is exact: a quotient that is no integer is at least 1/|b| from the next one, and |b| times the quotient is
// at most 2^16 (in f32) or 2^32 (in f64), so that rounding does not reach the integer. The vectors are explicit,
// because the compiler would turn a select beside a division into a branch. Included by xsimd_kernels.h; everything has
// internal linkage (why: isa/isas.def). Tests: tests/unit/executable_kernels_test.cc, by every instruction set.
#pragma once

#include <type_traits>

#include "kernels/elementwise_kernels.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace hloir::cpu {
namespace {

// `bytes`: of a vector of floats.
template <class T, int bytes>
struct VectorDivision {
  static constexpr bool kNarrow = sizeof(T) < 4;
  using Float = std::conditional_t<kNarrow, float, double>;
  static constexpr int kCount = bytes / sizeof(Float);
  typedef T V __attribute__((vector_size(kCount * sizeof(T))));
  typedef Unsigned<T> U __attribute__((vector_size(kCount * sizeof(T))));
  typedef int32_t S __attribute__((vector_size(kCount * 4)));
  typedef Float F __attribute__((vector_size(bytes)));
  typedef int64_t M __attribute__((vector_size(bytes)));

  static F Widened(V x) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, int32_t>) return (F)_mm512_cvtepi32_pd((__m256i)x);
    if constexpr (std::is_same_v<T, uint32_t>) return (F)_mm512_cvtepu32_pd((__m256i)x);
#endif
    // Not every instruction set converts unsigned numbers of 32 bits.
    if constexpr (std::is_same_v<T, uint32_t>)
      return __builtin_convertvector((S)(x ^ (V{} + 0x80000000u)), F) + Float(0x1p31);
    else return __builtin_convertvector(__builtin_convertvector(x, S), F);
  }
#if defined(__AVX512F__) || defined(__AVX2__)
  static F Divided(F a, F b) {
#if defined(__AVX512F__)
    // Up to 2^-32 of itself more than a / b, which too is less than 1/|b|: the estimate of 1 / b is off by 2^-14 of it,
    // this step by 2^-42 of it.
    const __m512d by = (__m512d)b, estimate = _mm512_rcp14_pd(by),
                  rest = _mm512_fnmadd_pd(by, estimate, _mm512_set1_pd(1 + 0x1p-33));
    return a * (F)_mm512_fmadd_pd(estimate, _mm512_fmadd_pd(rest, rest, rest), estimate);
#else
    return a / b;  // of four numbers: as long as that step
#endif
  }
  // What is no number of 32 bits becomes the least one, so that only 0 needs a select: the quotient by -1 overflows to
  // that.
  static V Truncated(F x) {
    if constexpr (std::is_same_v<T, int32_t>) {
#if defined(__AVX512F__)
      return (V)_mm512_cvttpd_epi32((__m512d)x);
#else
      return (V)_mm256_cvttpd_epi32((__m256d)x);
#endif
    } else {
#if defined(__AVX512F__)
      return (V)_mm512_cvttpd_epu32((__m512d)x);
#else
      const __m256d whole = _mm256_floor_pd((__m256d)x);
      return (V)_mm256_cvttpd_epi32(_mm256_sub_pd(whole, _mm256_set1_pd(0x1p31))) ^ (V{} + 0x80000000u);
#endif
    }
  }
#endif
  // As DivideFn.
  static V Quotient(V a, V b) {
    const V zero = (V)(b == 0);
#if defined(__AVX512F__) || defined(__AVX2__)
    if constexpr (!kNarrow) return zero | Truncated(Divided(Widened(a), Widened(b)));
#endif
    [[maybe_unused]] const V one = V{} + 1;
    if constexpr (std::is_same_v<T, int32_t>) {  // the quotient by -1 may overflow
      const V minus = (V)(b == -1);
      const V quotient =
          __builtin_convertvector(Widened(a) / Widened((b & ~(zero | minus)) | (one & (zero | minus))), S);
      const V negative = (V)(U{} - (U)a);
      return zero | (minus & negative) | (~minus & quotient);
    } else if constexpr (std::is_same_v<T, uint32_t>) {
      const F quotient = Widened(a) / Widened(b | (one & zero));
      const F nearest = (quotient + Float(0x1p52)) - Float(0x1p52);  // an integer, perhaps the next one
      const F whole = nearest - (F)((M)(nearest > quotient) & (M)(F{} + 1));
      const S moved = __builtin_convertvector(whole - Float(0x1p31), S);
      return zero | ((V)moved ^ (V{} + 0x80000000u));
    } else {
      const S quotient = __builtin_convertvector(Widened(a) / Widened(b | (one & zero)), S);
      return zero | __builtin_convertvector(quotient, V);
    }
  }
  static V Remainder(V a, V b) {  // also by 0 and -1
    return (V)((U)a - (U)Quotient(a, b) * (U)b);
  }
};

template <class T, int bytes, bool remainder, OperandMode mode>
void DivisionLoop(const TileOp& op, int64_t n) {
  using D = VectorDivision<T, bytes>;
  using V = typename D::V;
  const T *a = static_cast<const T*>(op.in[0]), *b = static_cast<const T*>(op.in[1]);
  T* out = static_cast<T*>(op.out);
  const auto load = [](const T* from, bool scalar, int64_t count) {
    V v = V{} + *from;
    if (!scalar) __builtin_memcpy(&v, from, static_cast<size_t>(count) * sizeof(T));
    return v;
  };
  const auto at = [&](int64_t i, int64_t count) {
    const V x = load(mode == kScalarVector ? a : a + i, mode == kScalarVector, count);
    const V y = load(mode == kVectorScalar ? b : b + i, mode == kVectorScalar, count);
    const V result = remainder ? D::Remainder(x, y) : D::Quotient(x, y);
    __builtin_memcpy(out + i, &result, static_cast<size_t>(count) * sizeof(T));
  };
  int64_t i = 0;
  for (; i + D::kCount <= n; i += D::kCount) at(i, D::kCount);
  if (i < n) at(i, n - i);
}

template <TileType P, int bytes>
void FillVectorDivisionOf(KernelTable& table) {
  using T = Cpp<P>;
  auto& quotients = table.binary[static_cast<int>(BinaryOp::kDivide)][static_cast<int>(P)];
  quotients[kVectorVector] = &DivisionLoop<T, bytes, false, kVectorVector>;
  quotients[kVectorScalar] = &DivisionLoop<T, bytes, false, kVectorScalar>;
  quotients[kScalarVector] = &DivisionLoop<T, bytes, false, kScalarVector>;
  auto& remainders = table.binary[static_cast<int>(BinaryOp::kRemainder)][static_cast<int>(P)];
  remainders[kVectorVector] = &DivisionLoop<T, bytes, true, kVectorVector>;
  remainders[kVectorScalar] = &DivisionLoop<T, bytes, true, kVectorScalar>;
  remainders[kScalarVector] = &DivisionLoop<T, bytes, true, kScalarVector>;
}
template <int bytes>
void FillVectorDivision(KernelTable& table) {
  FillVectorDivisionOf<TileType::kS8, bytes>(table);
  FillVectorDivisionOf<TileType::kU8, bytes>(table);
  FillVectorDivisionOf<TileType::kS16, bytes>(table);
  FillVectorDivisionOf<TileType::kU16, bytes>(table);
#if !defined(__aarch64__)  // which divides numbers of 32 bits in one instruction; two doubles take more
  FillVectorDivisionOf<TileType::kS32, bytes>(table);
  FillVectorDivisionOf<TileType::kU32, bytes>(table);
#endif
}

}  // namespace
}  // namespace hloir::cpu
