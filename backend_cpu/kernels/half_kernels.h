// f16 by hardware conversions (F16C), if the including file is compiled with them: widening, narrowing, and rounding to
// f16 in f32. The bits equal those of elementwise_kernels.h and functors.h except that NaN becomes quiet. Included by
// xsimd_kernels.h; everything has internal linkage (why: isa/isas.def).
#pragma once

#include "kernels/kernel_table.h"

namespace hloir::cpu {
namespace {

#if defined(__F16C__)

// f(from, to) for eight elements at a time; the last ones through a padded block.
template <class From, class To, class F>
inline void InEights(const TileOp& op, int64_t n, F f) {
  const From* from = static_cast<const From*>(op.in[0]);
  To* to = static_cast<To*>(op.out);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) f(from + i, to + i);
  if (i == n) return;
  From rest[8] = {};
  To made[8];
  __builtin_memcpy(rest, from + i, static_cast<size_t>(n - i) * sizeof(From));
  f(rest, made);
  __builtin_memcpy(to + i, made, static_cast<size_t>(n - i) * sizeof(To));
}

inline void WidenHalves(const TileOp& op, int64_t n) {
  InEights<uint16_t, float>(op, n, [](const uint16_t* from, float* to) {
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
  });
}
inline void NarrowToHalves(const TileOp& op, int64_t n) {
  InEights<float, uint16_t>(op, n, [](const float* from, uint16_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
  });
}
inline void RoundToHalves(const TileOp& op, int64_t n) {
  InEights<float, float>(op, n, [](const float* from, float* to) {
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT)));
  });
}

#endif

inline void FillHalf([[maybe_unused]] KernelTable& table) {
#if defined(__F16C__)
  constexpr int kHalf = static_cast<int>(NarrowFloat::kF16);
  table.widen[kHalf] = &WidenHalves;
  table.narrow[kHalf] = &NarrowToHalves;
  table.unary[static_cast<int>(UnaryOp::kRoundToF16)][static_cast<int>(TileType::kF32)] = &RoundToHalves;
#endif
}

}  // namespace
}  // namespace hloir::cpu
