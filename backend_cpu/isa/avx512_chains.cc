// Chains for AVX-512. See isas.def.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // as in avx512.cc
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include "kernels/chain_kernels.h"

namespace hloir::cpu {
namespace {

using F32 = Lanes<float, xsimd::avx512bw>;

// Rounds two vectors to one of bf16 at a time, and widens that. The instruction takes denormals for zeros, so blocks
// with some go the other way.
__attribute__((target("avx512bf16"))) void RoundToBf16Link(const TileOp* at, int64_t i, F32::V v0, F32::V v1, F32::V v2,
                                                           F32::V v3, F32::V v4, F32::V v5, F32::V v6, F32::V v7) {
  constexpr int kDenormal = 0x20;
  unsigned denormals = 0;
  for (const F32::V& v : {v0, v1, v2, v3, v4, v5, v6, v7}) denormals |= _mm512_fpclass_ps_mask((__m512)v, kDenormal);
  if (denormals != 0) return LinkOf<F32, UnaryLink<F32, UnaryOp::kRoundToBf16>>(at, i, v0, v1, v2, v3, v4, v5, v6, v7);
  // Each word twice, of which the upper half stays.
  const __m512i low = _mm512_set_epi16(15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10, 10, 9, 9, 8, 8, 7, 7, 6, 6, 5, 5, 4,
                                       4, 3, 3, 2, 2, 1, 1, 0, 0),
                high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
  constexpr __mmask32 kUpper = 0xaaaaaaaa;
  F32::V v[8] = {v0, v1, v2, v3, v4, v5, v6, v7};
#pragma GCC unroll 4
  for (int k = 0; k < 8; k += 2) {
    const __m512i both = (__m512i)_mm512_cvtne2ps_pbh((__m512)v[k + 1], (__m512)v[k]);
    v[k] = (F32::V)_mm512_maskz_permutexvar_epi16(kUpper, low, both);
    v[k + 1] = (F32::V)_mm512_maskz_permutexvar_epi16(kUpper, high, both);
  }
  return GoOn<F32>(at, i, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}

}  // namespace

const ChainTable& Avx512Chains() {
  static const ChainTable table = [] {
    ChainTable made = MakeChains<xsimd::avx512bw>();
    if (__builtin_cpu_supports("avx512bf16"))
      made.unary[static_cast<int>(UnaryOp::kRoundToBf16)][static_cast<int>(ChainType::kF32)] = Entry(&RoundToBf16Link);
    return made;
  }();
  return table;
}

}  // namespace hloir::cpu
