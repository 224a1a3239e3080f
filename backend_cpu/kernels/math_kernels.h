// Elementwise tile kernels of the transcendental functions. The hot ones are vectorized with xsimd; the rest call libm for
// each element, which is within 1 ulp. Bounds: opcodes.def; tests: tests/unit/executable_test.cc.
// Included by isa/*.cc through all_kernels.h only; everything has internal linkage (why: isa/sse2.cc).
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
    if (!whole) for (int64_t k = 0; k < kWidth; ++k) tail[k] = i + k < n ? a[i + k] : T(1);
    Batch result = F::template Apply<T, Arch>(Batch::load_unaligned(whole ? a + i : tail));
    result.store_unaligned(whole ? out + i : tail);
    if (!whole) for (int64_t k = 0; i + k < n; ++k) out[i + k] = tail[k];
  }
}

#define HLOIR_XSIMD_FN(name, function)                                                       \
  struct name {                                                                              \
    template <class T, class Arch>                                                           \
    static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) { return function(x); } \
  };
HLOIR_XSIMD_FN(ExpFn, xsimd::exp)
HLOIR_XSIMD_FN(LogFn, xsimd::log)
HLOIR_XSIMD_FN(TanhFn, xsimd::tanh)
HLOIR_XSIMD_FN(SinFn, xsimd::sin)
HLOIR_XSIMD_FN(CosFn, xsimd::cos)
#undef HLOIR_XSIMD_FN
struct LogisticFn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    const xsimd::batch<T, Arch> one(T(1));
    return one / (one + xsimd::exp(-x));
  }
};

// libm, element by element.
#define HLOIR_LIBM_FN(name, f32, f64)                                    \
  struct name {                                                          \
    template <class T> static constexpr bool kHas = kIsFloat<T>;         \
    template <class T, class... U> static T Apply(T x, U... y) {         \
      if constexpr (std::is_same_v<T, float>) return f32(x, y...);       \
      else return f64(x, y...);                                          \
    }                                                                    \
  };
HLOIR_LIBM_FN(CbrtFn, __builtin_cbrtf, __builtin_cbrt)
HLOIR_LIBM_FN(Expm1Fn, __builtin_expm1f, __builtin_expm1)
HLOIR_LIBM_FN(Log1pFn, __builtin_log1pf, __builtin_log1p)
HLOIR_LIBM_FN(TanFn, __builtin_tanf, __builtin_tan)
HLOIR_LIBM_FN(SinhFn, __builtin_sinhf, __builtin_sinh)
HLOIR_LIBM_FN(CoshFn, __builtin_coshf, __builtin_cosh)
HLOIR_LIBM_FN(AsinFn, __builtin_asinf, __builtin_asin)
HLOIR_LIBM_FN(AcosFn, __builtin_acosf, __builtin_acos)
HLOIR_LIBM_FN(AsinhFn, __builtin_asinhf, __builtin_asinh)
HLOIR_LIBM_FN(AcoshFn, __builtin_acoshf, __builtin_acosh)
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
  vector(UnaryOp::kSin, SinFn());
  vector(UnaryOp::kCos, CosFn());
  vector(UnaryOp::kLogistic, LogisticFn());
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
