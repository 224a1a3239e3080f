// exp, expm1, log, log1p, logistic, tanh and erf of f32, vectorized with xsimd. The other transcendental functions:
// sincos_kernels.h, per_element.cc. Bounds: opcodes.def; tests: tests/exhaustive. Included by isa/*.cc through
// xsimd_kernels.h only; everything has internal linkage (why: isa/isas.def).
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

struct TanhFn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    return xsimd::tanh(x);
  }
};

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

struct Expm1Fn {  // xsimd's overflows too early, and is -1 too early
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch y = xsimd::select(x == Batch(T(0)), x, xsimd::expm1(x));  // -0 is its own
    const auto high = x > Batch(kExpHighest<T>), low = x < Batch(kLogisticLowest<T>);
    if (!xsimd::any(high | low)) return y;
    const Batch z = ExpFn::Apply<T, Arch>(x);
    return xsimd::select(high, z, xsimd::select(low, z - Batch(T(1)), y));
  }
};
struct Log1pFn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    return xsimd::select(x == xsimd::batch<T, Arch>(T(0)), x, xsimd::log1p(x));  // -0 is its own
  }
};
// Polynomials by Lawson's method, the best in f64 and then rounded: below 0.92 erf(x)/x - 1 in x^2, 2^-31 of the result
// off, above it the logarithm of erfc(x), 2^-34 off; from 4 on the result is 1.
struct ErfF32Fn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const auto horner = [](const Batch& at, auto... coefficients) {
      Batch sum(T(0));
      ((sum = xsimd::fma(sum, at, Batch(T(coefficients)))), ...);
      return sum;
    };
    const Batch size = xsimd::abs(x), z = x * x;
    const Batch small = horner(z, 0x1.5f9594p-14, -0x1.ab107cp-11, 0x1.54df1ep-8, -0x1.b810eap-6, 0x1.ce2e24p-4,
                               -0x1.812744p-2, 0x1.06eba8p-3);
    const auto low = size < Batch(T(0.92));
    const Batch inner = xsimd::fma(x, small, x);
    if (xsimd::all(low)) return inner;
    const Batch t = xsimd::min(size, Batch(T(4)));
    const Batch log = horner(t, -0x1.61ea26p-16, 0x1.c790e6p-12, -0x1.115abep-8, 0x1.9b8e78p-6, -0x1.bb83e2p-4,
                             -0x1.44460cp-1, -0x1.2127e4p+0, 0x1.6e563ap-13);
    const Batch outer = xsimd::copysign(Batch(T(1)) - xsimd::exp(log), x);
    return xsimd::select(xsimd::isnan(x), x, xsimd::select(low, inner, outer));
  }
};

template <TileType P, class Arch>
void FillMathOf(KernelTable& table) {
  auto set = [&]<class F>(UnaryOp op, F) {
    table.unary[static_cast<int>(op)][static_cast<int>(P)] = &MathLoop<F, Cpp<P>, Arch>;
  };
  set(UnaryOp::kExp, ExpFn());
  set(UnaryOp::kExpm1, Expm1Fn());
  set(UnaryOp::kLog, LogFn());
  set(UnaryOp::kLog1p, Log1pFn());
  set(UnaryOp::kTanh, TanhFn());
  set(UnaryOp::kLogistic, LogisticFn());
  if constexpr (P == TileType::kF32) set(UnaryOp::kErf, ErfF32Fn());
}
template <class Arch>
void FillMath(KernelTable& table) {
  FillMathOf<TileType::kF32, Arch>(table);
  FillMathOf<TileType::kF64, Arch>(table);
}

}  // namespace
}  // namespace hloir::cpu
