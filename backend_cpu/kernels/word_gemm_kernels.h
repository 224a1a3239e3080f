// Matrix products of 8- and 16-bit integers on x86-64: pairs of 16-bit words are multiplied and their products added,
// as every set from SSE2 on can (pmaddwd). Of two times -32768² the sum wraps, which modulo 2^32 is right. Included by
// xsimd_kernels.h; everything has internal linkage (why: isa/isas.def). Tests: tests/unit/executable_test.cc,
// "products of all sizes".
#pragma once

#include "kernels/gemm_kernels.h"
#include "kernels/kernel_table.h"
#include "kernels/vector.h"

namespace hloir::cpu {
namespace {

#if defined(__x86_64__)

// The sum stays in its register: g++ would put it beside the products, and move it back at the end of each step.
inline __m128i AddProducts(__m128i sum, __m128i a, __m128i b) {
  const __m128i products = _mm_madd_epi16(a, b);
#if defined(__AVX2__)
  return _mm_add_epi32(sum, products);
#else
  asm("paddd %1, %0" : "+x"(sum) : "x"(products));
  return sum;
#endif
}
#if defined(__AVX2__)
inline __m256i AddProducts(__m256i sum, __m256i a, __m256i b) {
  const __m256i products = _mm256_madd_epi16(a, b);
  asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(products));
  return sum;
}
#endif
#if defined(__AVX512BW__)
inline __m512i AddProducts(__m512i sum, __m512i a, __m512i b) {
  const __m512i products = _mm512_madd_epi16(a, b);
  asm("vpaddd %1, %0, %0" : "+v"(sum) : "v"(products));
  return sum;
}
#endif

// As GemmTile's, of packed panels: a step of a has a pair for each row, one of b for each column.
template <class Arch, int kRows, int kVectors>
void WordTile(int64_t steps, const void* a_panel, const void* b_panel, void* c_tile, int64_t c_stride,
              bool accumulate) {
  using Batch = Vector<int32_t, Arch>;
  constexpr int kWidth = Batch::size;
  const int32_t* a = static_cast<const int32_t*>(a_panel);
  const int32_t* b = static_cast<const int32_t*>(b_panel);
  int32_t* c = static_cast<int32_t*>(c_tile);
  Batch sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) sums[i][j] = Batch(0);
  }
  for (int64_t p = 0; p < steps; ++p, a += kRows, b += kVectors * kWidth) {
    Batch pairs[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) pairs[j] = Batch::load_unaligned(b + j * kWidth);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Batch row(a[i]);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) sums[i][j] = Batch(AddProducts(sums[i][j], row, pairs[j]));
    }
  }
  StoreTile<Batch>(sums, c, c_stride, accumulate);
}

#endif

// Elsewhere the machine has no such instruction, and narrow integers are widened.
template <class Arch>
void FillWordGemm([[maybe_unused]] KernelTable& table) {
#if defined(__x86_64__)
  using Traits = VectorTraits<int32_t, Arch>;
  constexpr int kRows = Traits::kGemmRows;
  GemmKernels& kernels = table.gemm[static_cast<int>(GemmType::kWords)];
  kernels.rows = kRows;
  kernels.columns = Traits::kGemmVectors * static_cast<int>(Vector<int32_t, Arch>::size);
  kernels.tile = &WordTile<Arch, kRows, Traits::kGemmVectors>;
#endif
}

}  // namespace
}  // namespace hloir::cpu
