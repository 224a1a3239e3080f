// sin and cos, as plain loops that the compiler vectorizes. Bounds: opcodes.def; tests: tests/exhaustive. Included by
// isa/*.cc through all_kernels.h only; everything has internal linkage (why: isa/isas.def).
#pragma once

#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {
namespace {

// sin and cos of f32, in f64: x less the nearest multiple of pi/2, which two parts hold, and Taylor's series, whose
// first missing term is below 1e-9 of the result. Beyond 2^20 the parts are not enough: libm.
template <bool cosine>
void SinCosF32Loop(const TileOp& op, int64_t n) {
  constexpr int kBlock = 32;  // more than g++ unrolls before it looks for vectors
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kHigh = 0x1.921fb544p+0, kLow = 0x1.0b4611a626331p-34;
  constexpr double kRound =
      0x1.8p52;  // added and taken away, rounds to an integer, which is in the lowest bits between
  const float* a = static_cast<const float*>(op.in[0]);
  float* out = static_cast<float*>(op.out);
  float x[kBlock] = {}, y[kBlock];
  double wides[kBlock];  // loops of one width each are vectorized
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t count = n - at < kBlock ? n - at : kBlock;
    __builtin_memcpy(x, a + at, static_cast<size_t>(count) * sizeof(float));
    for (int i = 0; i < kBlock; ++i) wides[i] = x[i];
    uint64_t far = 0;
    for (int i = 0; i < kBlock; ++i) {
      const double wide = wides[i], shifted = wide * kTwoOverPi + kRound, turns = shifted - kRound;
      const uint64_t quarter = __builtin_bit_cast(uint64_t, shifted) + (cosine ? 1 : 0);
      const double r = (wide - turns * kHigh) - turns * kLow, z = r * r;
      const double s = r + r * z * (-1. / 6 + z * (1. / 120 + z * (-1. / 5040 + z * (1. / 362880 - z / 39916800))));
      const double c =
          1 + z * (-0.5 + z * (1. / 24 + z * (-1. / 720 + z * (1. / 40320 + z * (-1. / 3628800 + z / 479001600)))));
      const double value = quarter & 1 ? c : s;
      const double turned = quarter & 2 ? -value : value;
      wides[i] = !cosine && wide == 0 ? wide : turned;  // -0 less 0 would be +0
      far |= __builtin_fabs(wide) < 0x1p20 ? 0 : 1;
    }
    for (int i = 0; i < kBlock; ++i) y[i] = static_cast<float>(wides[i]);
    for (int64_t i = 0; far != 0 && i < count; ++i) {
      if (!(__builtin_fabsf(x[i]) < 0x1p20f)) y[i] = cosine ? __builtin_cosf(x[i]) : __builtin_sinf(x[i]);
    }
    __builtin_memcpy(out + at, y, static_cast<size_t>(count) * sizeof(float));
  }
}

// The same for f64. The multiple of pi/2 is taken away in three parts, of which the first two have 33 bits, so that
// their products are exact; what is left has a second number for what its own 53 bits do not hold, since near a zero of
// the result nothing else may be left. (xsimd's chooses the reduction by all lanes together, and loses digits there.)
template <bool cosine>
void SinCosF64Loop(const TileOp& op, int64_t n) {
  constexpr int kBlock = 32;  // more than g++ unrolls before it looks for vectors
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kHigh = 0x1.921fb54400000p+0, kMiddle = 0x1.0b4611a600000p-34,
                   kLow = 0x1.3198a2e037073p-69;
  constexpr double kRound = 0x1.8p52;
  const double* a = static_cast<const double*>(op.in[0]);
  double* out = static_cast<double*>(op.out);
  double x[kBlock] = {}, y[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t count = n - at < kBlock ? n - at : kBlock;
    __builtin_memcpy(x, a + at, static_cast<size_t>(count) * sizeof(double));
    uint64_t far = 0;
    for (int i = 0; i < kBlock; ++i) {
      const double shifted = x[i] * kTwoOverPi + kRound, turns = shifted - kRound;
      const uint64_t quarter = __builtin_bit_cast(uint64_t, shifted) + (cosine ? 1 : 0);
      // Differences with their rounding errors.
      const double first = x[i] - turns * kHigh, middle = turns * kMiddle;
      const double high = first - middle, back = high - first;
      const double low = ((first - (high - back)) - (middle + back)) - turns * kLow;
      const double r = high + low, over = r - high, rest = (high - (r - over)) + (low - over);
      const double z = r * r;
      const double s =
          1. / 120 +
          z * (-1. / 5040 +
               z * (1. / 362880 +
                    z * (-1. / 39916800 + z * (1. / 6227020800 + z * (-1. / 1307674368000 + z / 355687428096000)))));
      const double sine = r + (rest - (z * (0.5 * rest) - r * z * (-1. / 6 + z * s)));
      const double c =
          1. / 24 +
          z * (-1. / 720 +
               z * (1. / 40320 +
                    z * (-1. / 3628800 + z * (1. / 479001600 + z * (-1. / 87178291200 + z * (1. / 20922789888000 -
                                                                                             z / 6402373705728000))))));
      const double half = 0.5 * z, top = 1 - half;
      const double cosine_of = top + (((1 - top) - half) + (z * z * c - r * rest));
      const double value = quarter & 1 ? cosine_of : sine;
      const double turned = quarter & 2 ? -value : value;
      y[i] = !cosine && x[i] == 0 ? x[i] : turned;
      far |= __builtin_fabs(x[i]) < 0x1p20 ? 0 : 1;
    }
    for (int64_t i = 0; far != 0 && i < count; ++i) {
      if (!(__builtin_fabs(x[i]) < 0x1p20)) y[i] = cosine ? __builtin_cos(x[i]) : __builtin_sin(x[i]);
    }
    __builtin_memcpy(out + at, y, static_cast<size_t>(count) * sizeof(double));
  }
}

inline void FillSinCos(KernelTable& table) {
  constexpr int kF32 = static_cast<int>(TileType::kF32), kF64 = static_cast<int>(TileType::kF64);
  table.unary[static_cast<int>(UnaryOp::kSin)][kF32] = &SinCosF32Loop<false>;
  table.unary[static_cast<int>(UnaryOp::kSin)][kF64] = &SinCosF64Loop<false>;
  table.unary[static_cast<int>(UnaryOp::kCos)][kF32] = &SinCosF32Loop<true>;
  table.unary[static_cast<int>(UnaryOp::kCos)][kF64] = &SinCosF64Loop<true>;
}

}  // namespace
}  // namespace hloir::cpu
