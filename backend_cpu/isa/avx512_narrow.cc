// Matrix products of 8-bit integers and of bf16 by AVX-512's VNNI and BF16, for machines that have these besides the
// extensions of avx512.cc. Operands are packed by plan/steps/gemm_packing.cc.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // see avx512.cc
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "isa/avx512_narrow.h"

namespace hloir::cpu {
namespace {

#define HLOIR_NARROW __attribute__((target("avx512vnni,avx512bf16")))

constexpr int kRows = 12, kVectors = 2;

// Four products per step, of 128 + a as an unsigned byte and b as a signed one, summed in 32 bits without loss. A panel
// of b begins with a correction that subtracts 128 times its columns' sums.
struct Bytes {
  using Sum = __m512i;
  using Element = int32_t;
  static constexpr bool kHeader = true;
  static Sum Load(const void* p) { return _mm512_loadu_si512(p); }
  static void Store(void* p, Sum x) { _mm512_storeu_si512(p, x); }
  static Sum Zero() { return _mm512_setzero_si512(); }
  static Sum Add(Sum x, Sum y) { return _mm512_add_epi32(x, y); }
  HLOIR_NARROW static Sum MultiplyAdd(Sum sum, int32_t a, __m512i b) {
    return _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(a), b);
  }
};

// Two products per step. The machine rounds each of the two sums to f32, to nearest even, and treats denormals as
// zeros.
struct Bf16 {
  using Sum = __m512;
  using Element = float;
  static constexpr bool kHeader = false;
  static Sum Load(const void* p) { return _mm512_loadu_ps(p); }
  static void Store(void* p, Sum x) { _mm512_storeu_ps(p, x); }
  static Sum Zero() { return _mm512_setzero_ps(); }
  static Sum Add(Sum x, Sum y) { return _mm512_add_ps(x, y); }
  HLOIR_NARROW static Sum MultiplyAdd(Sum sum, int32_t a, __m512i b) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(_mm512_set1_epi32(a)), reinterpret_cast<__m512bh>(b));
  }
};

template <class Kind, int rows>
__attribute__((always_inline)) HLOIR_NARROW inline void StoreTile(const typename Kind::Sum (&sums)[rows][kVectors],
                                                                  typename Kind::Element* c, int64_t c_stride,
                                                                  bool accumulate) {
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      typename Kind::Element* to = c + i * c_stride + 16 * j;
      Kind::Store(to, accumulate ? Kind::Add(sums[i][j], Kind::Load(to)) : sums[i][j]);
    }
  }
}

template <class Kind>
HLOIR_NARROW void Tile(int64_t steps, const void* a_panel, const void* b_panel, void* c_tile, int64_t c_stride,
                       bool accumulate) {
  using Sum = typename Kind::Sum;
  const int32_t* a = static_cast<const int32_t*>(a_panel);
  const char* b = static_cast<const char*>(b_panel);
  typename Kind::Element* c = static_cast<typename Kind::Element*>(c_tile);
  Sum start[kVectors], sums[kRows][kVectors];
  for (int j = 0; j < kVectors; ++j) start[j] = Kind::kHeader ? Kind::Load(b + 64 * j) : Kind::Zero();
  if (Kind::kHeader) b += 64 * kVectors;
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) sums[i][j] = start[j];
  }
  for (int64_t p = 0; p < steps; ++p, a += kRows, b += 64 * kVectors) {
    const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 64);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      sums[i][0] = Kind::MultiplyAdd(sums[i][0], a[i], b0);
      sums[i][1] = Kind::MultiplyAdd(sums[i][1], a[i], b1);
    }
  }
  StoreTile<Kind>(sums, c, c_stride, accumulate);
}

// As GemmKernels::TileInPlace, for bf16: a step takes two adjacent elements of a row.
template <int rows>
HLOIR_NARROW void TileInPlace(const TileRun* runs, int64_t run_count, const void* a, const int64_t* row_offsets,
                              int64_t a_step, const void* b_panel, int64_t b_step, void* c_tile, int64_t c_stride,
                              bool accumulate) {
  const uint16_t* row[rows];
  for (int i = 0; i < rows; ++i) row[i] = static_cast<const uint16_t*>(a) + row_offsets[i];
  __m512 sums[rows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) sums[i][0] = sums[i][1] = _mm512_setzero_ps();
  for (const TileRun* run = runs; run != runs + run_count; ++run) {
    const int32_t* b = static_cast<const int32_t*>(b_panel) + run->b * b_step;
    int64_t at = run->a;
    for (int64_t p = 0; p < run->count; ++p, at += a_step, b += b_step) {
      const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 16);
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
        int32_t pair;
        __builtin_memcpy(&pair, row[i] + at, sizeof(pair));
        sums[i][0] = Bf16::MultiplyAdd(sums[i][0], pair, b0);
        sums[i][1] = Bf16::MultiplyAdd(sums[i][1], pair, b1);
      }
    }
  }
  StoreTile<Bf16>(sums, static_cast<float*>(c_tile), c_stride, accumulate);
}

}  // namespace

void FillBytesGemm(GemmKernels& kernels) {
  kernels.rows = kRows;
  kernels.columns = 16 * kVectors;
  kernels.tile = &Tile<Bytes>;
}
void FillBf16Gemm(GemmKernels& kernels) {
  kernels.rows = kRows;
  kernels.columns = 16 * kVectors;
  kernels.tile = &Tile<Bf16>;
  kernels.rows_in_place = 8;
  kernels.tile_in_place[0] = &TileInPlace<2>;
  kernels.tile_in_place[1] = &TileInPlace<4>;
  kernels.tile_in_place[2] = &TileInPlace<6>;
  kernels.tile_in_place[3] = &TileInPlace<8>;
}

}  // namespace hloir::cpu
