// f16 by hardware conversions (F16C, NEON), if the including file is compiled with them (HLOIR_HALVES): widening,
// narrowing, and rounding to f16 in f32. The bits equal those of elementwise_kernels.h and functors.h except that NaN
// becomes quiet. Included by xsimd_kernels.h; everything has internal linkage (why: isa/isas.def).
#pragma once

#include "kernels/kernel_table.h"
#if defined(__F16C__)
#include <immintrin.h>
#define HLOIR_HALVES 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define HLOIR_HALVES 1
#endif

namespace hloir::cpu {
namespace {

#if defined(HLOIR_HALVES)

// Eight elements.
#if defined(__F16C__)
inline __m256 LoadHalves(const uint16_t* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline __m128i HalvesOf(const float* from) { return _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT); }
inline void WidenEight(const uint16_t* from, float* to) { _mm256_storeu_ps(to, LoadHalves(from)); }
inline void NarrowEight(const float* from, uint16_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), HalvesOf(from));
}
inline void RoundEight(const float* from, float* to) { _mm256_storeu_ps(to, _mm256_cvtph_ps(HalvesOf(from))); }
#else
inline float16x8_t HalvesOf(const float* from) {
  return vcvt_high_f16_f32(vcvt_f16_f32(vld1q_f32(from)), vld1q_f32(from + 4));
}
inline void StoreWide(float16x8_t halves, float* to) {
  vst1q_f32(to, vcvt_f32_f16(vget_low_f16(halves)));
  vst1q_f32(to + 4, vcvt_high_f32_f16(halves));
}
inline void WidenEight(const uint16_t* from, float* to) { StoreWide(vreinterpretq_f16_u16(vld1q_u16(from)), to); }
inline void NarrowEight(const float* from, uint16_t* to) { vst1q_u16(to, vreinterpretq_u16_f16(HalvesOf(from))); }
inline void RoundEight(const float* from, float* to) { StoreWide(HalvesOf(from), to); }
#endif

// f(from, to) for eight elements at a time; the last ones through a padded block.
template <class From, class To, class F>
inline void InEights(const TileOp& op, int64_t n, F f) {
  const From* from = static_cast<const From*>(op.in[0]);
  To* to = static_cast<To*>(op.out);
  int64_t i = 0;
#pragma GCC unroll 4
  for (; i + 8 <= n; i += 8) f(from + i, to + i);
  if (i == n) return;
  From rest[8] = {};
  To made[8];
  __builtin_memcpy(rest, from + i, static_cast<size_t>(n - i) * sizeof(From));
  f(rest, made);
  __builtin_memcpy(to + i, made, static_cast<size_t>(n - i) * sizeof(To));
}

inline void WidenHalves(const TileOp& op, int64_t n) { InEights<uint16_t, float>(op, n, &WidenEight); }
inline void NarrowToHalves(const TileOp& op, int64_t n) { InEights<float, uint16_t>(op, n, &NarrowEight); }
inline void RoundToHalves(const TileOp& op, int64_t n) { InEights<float, float>(op, n, &RoundEight); }

#endif

inline void FillHalf([[maybe_unused]] KernelTable& table) {
#if defined(HLOIR_HALVES)
  constexpr int kHalf = static_cast<int>(NarrowFloat::kF16);
  table.widen[kHalf] = &WidenHalves;
  table.narrow[kHalf] = &NarrowToHalves;
  table.unary[static_cast<int>(UnaryOp::kRoundToF16)][static_cast<int>(TileType::kF32)] = &RoundToHalves;
#endif
}

}  // namespace
}  // namespace hloir::cpu
