// Lanes: a vector of an instruction set, with what xsimd lacks: loads and stores of elements of other types, masks, and
// selects. Included by chain_kernels.h; everything has internal linkage (why: isa/isas.def).
#pragma once

#include <xsimd/xsimd.hpp>

#include "kernels/chain_table.h"
#include "kernels/functors.h"
#include "kernels/half_kernels.h"

namespace hloir::cpu {
namespace {

// A block is eight vectors, which calling conventions pass in registers: enough to hide the latency of operations.
#define HLOIR_BLOCK V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7

template <class T, class Arch>
struct Lanes {
  static constexpr int kBytes = sizeof(typename xsimd::batch<T, Arch>::register_type);
  static constexpr int kCount = kBytes / sizeof(T);
  typedef T V __attribute__((vector_size(kBytes)));
  typedef Unsigned<T> U __attribute__((vector_size(kBytes)));
  typedef SignedBits<T> S __attribute__((vector_size(kBytes)));  // also masks: all bits of an element, or none
  typedef uint16_t Halves __attribute__((vector_size(kCount * 2)));
  typedef uint8_t Bytes __attribute__((vector_size(kCount)));
  typedef void (*Link)(const TileOp* at, int64_t i, HLOIR_BLOCK);

  template <class X>
  static X LoadAs(const void* from) {
    X x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static V Splat(T x) { return V{} + x; }
  static U SplatBits(Unsigned<T> x) { return U{} + x; }
  static xsimd::batch<T, Arch> Batch(V v) {
    return xsimd::batch<T, Arch>((typename xsimd::batch<T, Arch>::register_type)v);
  }
  static V FromBatch(const xsimd::batch<T, Arch>& x) { return (V)(typename xsimd::batch<T, Arch>::register_type)x; }
  static V Extreme(V a, V b, bool greater) {
    return FromBatch(greater ? xsimd::max(Batch(a), Batch(b)) : xsimd::min(Batch(a), Batch(b)));
  }
  static V Sqrt(V x) {
#if defined(__aarch64__)
    // xsimd's of floats is an estimate that is refined.
    if constexpr (sizeof(T) == 4) return (V)vsqrtq_f32((float32x4_t)x);
#endif
    return FromBatch(xsimd::sqrt(Batch(x)));
  }
  static V Blend(S mask, V set, V other) {
#if defined(__AVX512F__)
    return mask ? set : other;  // g++ compiles this to a comparison and one more instruction
#elif defined(__AVX2__)
    return (V)_mm256_blendv_epi8((__m256i)other, (__m256i)set, (__m256i)mask);
#elif defined(__aarch64__)
    return (V)vbslq_u8((uint8x16_t)mask, (uint8x16_t)set, (uint8x16_t)other);
#else
    return (V)((mask & (S)set) | (~mask & (S)other));
#endif
  }
  static V Load(const TileOp& at, int which, ChainOperand operand, int64_t i) {
    const void* from = at.in[which];
    switch (operand) {
      case ChainOperand::kRuns: break;
      case ChainOperand::kPred: return (V)~Zeros(static_cast<const uint8_t*>(from) + i);
      case ChainOperand::kVector: return LoadAs<V>(static_cast<const T*>(from) + i);
      case ChainOperand::kScalar: {
#if defined(__AVX2__)
        const T x = *static_cast<const T*>(from);
        if constexpr (sizeof(T) < 4) return Splat(x);
        V v;
        for (int k = 0; k < kCount; ++k) v[k] = x;
        return v;
#else
        using Bits = Unsigned<T>;
        return (V)SplatBits(LoadAs<Bits>(from));  // g++ would insert floats one by one
#endif
      }
      case ChainOperand::kBf16:
        if constexpr (sizeof(T) == 4) {
          const uint16_t* halves = static_cast<const uint16_t*>(from) + i;
#if defined(__AVX512F__)
          return (V)_mm512_slli_epi32(_mm512_cvtepu16_epi32(LoadAs<__m256i>(halves)), 16);
#elif defined(__AVX2__)
          return (V)_mm256_slli_epi32(_mm256_cvtepu16_epi32(LoadAs<__m128i>(halves)), 16);
#elif defined(__aarch64__)
          return (V)vshll_n_u16(LoadAs<uint16x4_t>(halves), 16);
#else
          return (V)(__builtin_convertvector(LoadAs<Halves>(halves), U) << 16);
#endif
        }
        break;
      case ChainOperand::kF16:
#if defined(HLOIR_HALVES)
        if constexpr (sizeof(T) == 4) return WidenHalves(LoadAs<Halves>(static_cast<const uint16_t*>(from) + i));
#endif
        break;
    }
    __builtin_unreachable();
  }
#if defined(__AVX2__)
  // `count` elements from the beginning of the one, and the others from their places in the other. No others are read.
  static V LoadParts(const void* from, const void* others, uint32_t count) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      const auto mask = static_cast<__mmask16>((1u << count) - 1);
      return (V)_mm512_mask_loadu_epi32(_mm512_maskz_loadu_epi32(mask, from), static_cast<__mmask16>(~mask), others);
    } else {
      const auto mask = static_cast<__mmask8>((1u << count) - 1);
      return (V)_mm512_mask_loadu_epi64(_mm512_maskz_loadu_epi64(mask, from), static_cast<__mmask8>(~mask), others);
    }
#else
    if constexpr (sizeof(T) == 4) {
      const __m256i mask =
          _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
      const auto *a = static_cast<const int*>(from), *b = static_cast<const int*>(others);
      const __m256i rest = _mm256_xor_si256(mask, _mm256_set1_epi32(-1));
      return (V)_mm256_or_si256(_mm256_maskload_epi32(a, mask), _mm256_maskload_epi32(b, rest));
    } else {
      const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
      const auto *a = static_cast<const long long*>(from), *b = static_cast<const long long*>(others);
      const __m256i rest = _mm256_xor_si256(mask, _mm256_set1_epi32(-1));
      return (V)_mm256_or_si256(_mm256_maskload_epi64(a, mask), _mm256_maskload_epi64(b, rest));
    }
#endif
  }
#endif
  // A mask from bytes: set where they are 0.
  static S Zeros(const uint8_t* from) {
#if defined(__AVX2__)
    if constexpr (sizeof(T) >= 4) {
      const __m128i bytes = _mm_cmpeq_epi8(LoadUpTo16<kCount>(from), _mm_setzero_si128());
#if defined(__AVX512F__)
      if constexpr (sizeof(T) == 4) return (S)_mm512_cvtepi8_epi32(bytes);
      else return (S)_mm512_cvtepi8_epi64(bytes);
#else
      if constexpr (sizeof(T) == 4) return (S)_mm256_cvtepi8_epi32(bytes);
      else return (S)_mm256_cvtepi8_epi64(bytes);
#endif
    }
#elif defined(__aarch64__)
    // g++ would convert the elements one by one.
    if constexpr (sizeof(T) == 2) {
      return (S)vceqzq_u16(vmovl_u8(LoadAs<uint8x8_t>(from)));
    } else if constexpr (sizeof(T) == 4) {
      const uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(LoadAs<uint32_t>(from)));
      return (S)vceqzq_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))));
    } else if constexpr (sizeof(T) == 8) {
      const uint8x8_t bytes = vreinterpret_u8_u16(vdup_n_u16(LoadAs<uint16_t>(from)));
      return (S)vceqzq_u64(vmovl_u32(vget_low_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))))));
    }
#endif
    return __builtin_convertvector(LoadAs<Bytes>(from), S) == 0;
  }
#if defined(__AVX2__)
  template <int bytes>
  static __m128i LoadUpTo16(const uint8_t* from) {
    if constexpr (bytes == 16) return LoadAs<__m128i>(from);
    else if constexpr (bytes == 8) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    else return _mm_cvtsi32_si128(LoadAs<int>(from));
  }
#endif
  // 1 for each element that is set.
  static Bytes Ones(V mask) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return (Bytes)_mm_and_si128(_mm512_cvtepi32_epi8((__m512i)mask), _mm_set1_epi8(1));
    if constexpr (sizeof(T) == 8)
      return (Bytes)(_mm_cvtsi128_si64(_mm512_cvtepi64_epi8((__m512i)mask)) & 0x0101010101010101);
#elif defined(__AVX2__)
    if constexpr (sizeof(T) >= 4) {
      const __m128i low = _mm256_castsi256_si128((__m256i)mask), high = _mm256_extracti128_si256((__m256i)mask, 1);
      const __m128i words = _mm_packs_epi32(low, high);
      const __m128i bytes = _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1));
      if constexpr (sizeof(T) == 4) return (Bytes)_mm_cvtsi128_si64(bytes);
      // Each element was two words.
      else return (Bytes)_mm_cvtsi128_si32(_mm_shuffle_epi8(bytes, _mm_set1_epi32(0x06040200)));
    }
#elif defined(__aarch64__)
    const auto ones = [](uint16x4_t words) { return vand_u8(vmovn_u16(vcombine_u16(words, words)), vdup_n_u8(1)); };
    if constexpr (sizeof(T) == 4)
      return (Bytes)vget_lane_u32(vreinterpret_u32_u8(ones(vmovn_u32((uint32x4_t)mask))), 0);
    if constexpr (sizeof(T) == 8) {
      const uint32x2_t words = vmovn_u64((uint64x2_t)mask);
      return (Bytes)vget_lane_u16(vreinterpret_u16_u8(ones(vmovn_u32(vcombine_u32(words, words)))), 0);
    }
#endif
    return __builtin_convertvector((U)mask, Bytes) & (Bytes{} + uint8_t{1});
  }
  template <ChainResult result>
  static void Store(const TileOp& at, int64_t i, V v) {
    if constexpr (result == ChainResult::kVector) {
      __builtin_memcpy(static_cast<T*>(at.out) + i, &v, sizeof v);
    } else if constexpr (result == ChainResult::kPred) {
      const Bytes bytes = Ones(v);
      __builtin_memcpy(static_cast<uint8_t*>(at.out) + i, &bytes, sizeof bytes);
    } else if constexpr (result == ChainResult::kBf16) {
#if defined(__AVX512F__)
      const Halves halves = (Halves)_mm512_cvtepi32_epi16(_mm512_srli_epi32((__m512i)v, 16));
#else
      const Halves halves = __builtin_convertvector((U)v >> 16, Halves);
#endif
      __builtin_memcpy(static_cast<uint16_t*>(at.out) + i, &halves, sizeof halves);
    } else if constexpr (result == ChainResult::kStreamed) {
      T* const to = static_cast<T*>(at.out) + i;
      if (reinterpret_cast<uintptr_t>(to) % kBytes != 0) {  // a caller's memory
        __builtin_memcpy(to, &v, sizeof v);
        return;
      }
#if defined(__AVX512F__)
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v);
#elif defined(__AVX2__)
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v);
#elif defined(__SSE2__)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)v);
#endif
    } else {
#if defined(HLOIR_HALVES)
      const Halves halves = NarrowToHalves(v);
      __builtin_memcpy(static_cast<uint16_t*>(at.out) + i, &halves, sizeof halves);
#endif
    }
  }
#if defined(__AVX512F__)
  static V WidenHalves(Halves halves) { return (V)_mm512_cvtph_ps((__m256i)halves); }
  static Halves NarrowToHalves(V v) { return (Halves)_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT); }
#elif defined(__F16C__)
  static V WidenHalves(Halves halves) { return (V)_mm256_cvtph_ps((__m128i)halves); }
  static Halves NarrowToHalves(V v) { return (Halves)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT); }
#elif defined(__aarch64__)
  static V WidenHalves(Halves halves) { return (V)vcvt_f32_f16((float16x4_t)halves); }
  static Halves NarrowToHalves(V v) { return (Halves)vcvt_f16_f32((float32x4_t)v); }
#endif
};

}  // namespace
}  // namespace hloir::cpu
