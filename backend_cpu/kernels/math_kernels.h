// Elementwise tile kernels of the transcendental functions. The hot ones are vectorized with xsimd; the rest call libm
// for each element, which is within 1 ulp. Bounds: opcodes.def; tests: tests/exhaustive. Included by isa/*.cc through
// all_kernels.h only; everything has internal linkage (why: isa/sse2.cc).
#pragma once

#include <xsimd/xsimd.hpp>

#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {
namespace {

// Applies F to whole vectors; the tail goes through a padded copy, so that it gets the same bits.
template <class F, class T, class Arch>
void MathLoop(const TileOp& op, int64_t n) {
  using Batch = xsimd::batch<T, Arch>;
  constexpr int64_t kWidth = Batch::size;
  const T* a = static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  alignas(64) T tail[kWidth];
  for (int64_t i = 0; i < n; i += kWidth) {
    const bool whole = i + kWidth <= n;
    if (!whole)
      for (int64_t k = 0; k < kWidth; ++k) tail[k] = i + k < n ? a[i + k] : T(1);
    Batch result = F::template Apply<T, Arch>(Batch::load_unaligned(whole ? a + i : tail));
    result.store_unaligned(whole ? out + i : tail);
    if (!whole)
      for (int64_t k = 0; i + k < n; ++k) out[i + k] = tail[k];
  }
}

#define HLOIR_XSIMD_FN(name, function)                                   \
  struct name {                                                          \
    template <class T, class Arch>                                       \
    static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) { \
      return function(x);                                                \
    }                                                                    \
  };
HLOIR_XSIMD_FN(TanhFn, xsimd::tanh)
#undef HLOIR_XSIMD_FN

// The ends of the range that xsimd's functions are good for. Beyond it a second formula is computed, if any lane asks
// for it; each lane takes what its own x asks for, so that no result depends on its neighbours.
template <class T>
constexpr T kExpLowest = sizeof(T) == 4 ? T(-87.3) : T(-708.3);  // below, exp is denormal
template <class T>
constexpr T kExpHighest = sizeof(T) == 4 ? T(88.3) : T(709.4);  // above, exp soon overflows
template <class T>
constexpr T kLogisticLowest = sizeof(T) == 4 ? T(-9) : T(-19);  // below, exp(x)^3 does not matter
template <class T>
constexpr T kSmallestNormal = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);

struct ExpFn {  // xsimd gives 0 where the result is denormal, and infinity too early: there, the square of the root
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch y = xsimd::exp(x);
    const auto outside = (x < Batch(kExpLowest<T>)) | (x > Batch(kExpHighest<T>));
    if (!xsimd::any(outside)) return y;
    const Batch root = xsimd::exp(x * Batch(T(0.5)));
    return xsimd::select(outside, root * root, y);
  }
};
struct LogFn {  // xsimd's for f64 takes denormals for their bits
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch y = xsimd::log(x);
    const auto low = (x < Batch(kSmallestNormal<T>)) & (x > Batch(T(0)));
    if (!xsimd::any(low)) return y;
    const Batch scaled = xsimd::log(x * Batch(T(0x1p54))) - Batch(T(54 * 0.693147180559945309417232121458L));
    return xsimd::select(low, scaled, y);
  }
};
struct LogisticFn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch one(T(1)), y = one / (one + xsimd::exp(-x));
    const auto low = x < Batch(kLogisticLowest<T>);
    if (!xsimd::any(low)) return y;
    const Batch z = ExpFn::Apply<T, Arch>(x);
    return xsimd::select(low, z - z * z, y);
  }
};

// sin and cos of f32, in f64: x less the nearest multiple of pi/2, which two parts hold, and Taylor's series, whose
// first missing term is below 1e-9 of the result. Beyond 2^20 the parts are not enough: libm.
template <bool cosine>
void SinCosF32Loop(const TileOp& op, int64_t n) {
  constexpr int kBlock = 16;
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kHigh = 0x1.921fb544p+0, kLow = 0x1.0b4611a626331p-34;
  constexpr double kRound =
      0x1.8p52;  // added and taken away, rounds to an integer, which is in the lowest bits between
  const float* a = static_cast<const float*>(op.in[0]);
  float* out = static_cast<float*>(op.out);
  float x[kBlock] = {}, y[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t count = n - at < kBlock ? n - at : kBlock;
    for (int64_t i = 0; i < count; ++i) x[i] = a[at + i];
    for (int i = 0; i < kBlock; ++i) {
      const double wide = x[i], shifted = wide * kTwoOverPi + kRound, turns = shifted - kRound;
      const uint64_t quarter = __builtin_bit_cast(uint64_t, shifted) + (cosine ? 1 : 0);
      const double r = (wide - turns * kHigh) - turns * kLow, z = r * r;
      const double s = r + r * z * (-1. / 6 + z * (1. / 120 + z * (-1. / 5040 + z * (1. / 362880 - z / 39916800))));
      const double c =
          1 + z * (-0.5 + z * (1. / 24 + z * (-1. / 720 + z * (1. / 40320 + z * (-1. / 3628800 + z / 479001600)))));
      const double value = quarter & 1 ? c : s;
      y[i] = static_cast<float>(quarter & 2 ? -value : value);
    }
    for (int64_t i = 0; i < count; ++i) {
      if (!(__builtin_fabsf(x[i]) < 0x1p20f)) y[i] = cosine ? __builtin_cosf(x[i]) : __builtin_sinf(x[i]);
      // -0 less 0 would be +0.
      out[at + i] = !cosine && x[i] == 0 ? x[i] : y[i];
    }
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
      // Differences with what rounding took from them.
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

// libm, element by element. What is further than 2 ulp off in its own type is computed in a wider one.
inline double WideCbrt(double x) { return static_cast<double>(__builtin_cbrtl(x)); }
inline double WideAcosh(double x) { return static_cast<double>(__builtin_acoshl(x)); }
inline float WideAcoshf(float x) { return static_cast<float>(__builtin_acosh(x)); }
#define HLOIR_LIBM_FN(name, f32, f64)                              \
  struct name {                                                    \
    template <class T>                                             \
    static constexpr bool kHas = kIsFloat<T>;                      \
    template <class T, class... U>                                 \
    static T Apply(T x, U... y) {                                  \
      if constexpr (std::is_same_v<T, float>) return f32(x, y...); \
      else return f64(x, y...);                                    \
    }                                                              \
  };
HLOIR_LIBM_FN(CbrtFn, __builtin_cbrtf, WideCbrt)
HLOIR_LIBM_FN(Expm1Fn, __builtin_expm1f, __builtin_expm1)
HLOIR_LIBM_FN(Log1pFn, __builtin_log1pf, __builtin_log1p)
HLOIR_LIBM_FN(TanFn, __builtin_tanf, __builtin_tan)
HLOIR_LIBM_FN(SinhFn, __builtin_sinhf, __builtin_sinh)
HLOIR_LIBM_FN(CoshFn, __builtin_coshf, __builtin_cosh)
HLOIR_LIBM_FN(AsinFn, __builtin_asinf, __builtin_asin)
HLOIR_LIBM_FN(AcosFn, __builtin_acosf, __builtin_acos)
HLOIR_LIBM_FN(AsinhFn, __builtin_asinhf, __builtin_asinh)
HLOIR_LIBM_FN(AcoshFn, WideAcoshf, WideAcosh)
HLOIR_LIBM_FN(AtanhFn, __builtin_atanhf, __builtin_atanh)
HLOIR_LIBM_FN(ErfFn, __builtin_erff, __builtin_erf)
HLOIR_LIBM_FN(PowerFn, __builtin_powf, __builtin_pow)
HLOIR_LIBM_FN(Atan2Fn, __builtin_atan2f, __builtin_atan2)
#undef HLOIR_LIBM_FN

template <TileType P, class Arch>
void FillMathOf(KernelTable& table) {
  constexpr int p = static_cast<int>(P);
  using T = Cpp<P>;
  auto vector = [&]<class F>(UnaryOp op, F) { table.unary[static_cast<int>(op)][p] = &MathLoop<F, T, Arch>; };
  vector(UnaryOp::kExp, ExpFn());
  vector(UnaryOp::kLog, LogFn());
  vector(UnaryOp::kTanh, TanhFn());
  vector(UnaryOp::kLogistic, LogisticFn());
  table.unary[static_cast<int>(UnaryOp::kSin)][p] = sizeof(T) == 4 ? &SinCosF32Loop<false> : &SinCosF64Loop<false>;
  table.unary[static_cast<int>(UnaryOp::kCos)][p] = sizeof(T) == 4 ? &SinCosF32Loop<true> : &SinCosF64Loop<true>;
  auto scalar = [&]<class F>(UnaryOp op, F) { table.unary[static_cast<int>(op)][p] = &UnaryLoop<F, T>; };
  scalar(UnaryOp::kCbrt, CbrtFn());
  scalar(UnaryOp::kExpm1, Expm1Fn());
  scalar(UnaryOp::kLog1p, Log1pFn());
  scalar(UnaryOp::kTan, TanFn());
  scalar(UnaryOp::kSinh, SinhFn());
  scalar(UnaryOp::kCosh, CoshFn());
  scalar(UnaryOp::kAsin, AsinFn());
  scalar(UnaryOp::kAcos, AcosFn());
  scalar(UnaryOp::kAsinh, AsinhFn());
  scalar(UnaryOp::kAcosh, AcoshFn());
  scalar(UnaryOp::kAtanh, AtanhFn());
  scalar(UnaryOp::kErf, ErfFn());
  auto binary = [&]<class F>(BinaryOp op, F) {
    table.binary[static_cast<int>(op)][p][kVectorVector] = &BinaryLoop<F, T, kVectorVector>;
    table.binary[static_cast<int>(op)][p][kVectorScalar] = &BinaryLoop<F, T, kVectorScalar>;
    table.binary[static_cast<int>(op)][p][kScalarVector] = &BinaryLoop<F, T, kScalarVector>;
  };
  binary(BinaryOp::kPower, PowerFn());
  binary(BinaryOp::kAtan2, Atan2Fn());
}

template <class Arch>
void FillMath(KernelTable& table) {
  FillMathOf<TileType::kF32, Arch>(table);
  FillMathOf<TileType::kF64, Arch>(table);
}

}  // namespace
}  // namespace hloir::cpu
