// exp, expm1, log, log1p, logistic, tanh, sin, cos and erf of f32 on xsimd's vectors, log and log1p also by its
// formulas. The other transcendental functions: per_element.cc. Bounds: opcodes.def; tests: tests/exhaustive.
// Included by isa/*.cc through xsimd_kernels.h only; everything has internal linkage (why: isa/isas.def).
#pragma once

#include <xsimd/xsimd.hpp>

#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {
namespace {

// Applies F to whole vectors; the tail goes through a padded copy, so that it gets the same bits.
template <class F, class T, class Arch>
[[gnu::noinline]] void MathLoop(const TileOp& op, int64_t n) {
  using Batch = xsimd::batch<T, Arch>;
  constexpr int64_t kWidth = Batch::size;
  const T* a = static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth)
    F::template Apply<T, Arch>(Batch::load_unaligned(a + i)).store_unaligned(out + i);
  if (i == n) return;
  T tail[kWidth];
  for (int64_t k = 0; k < kWidth; ++k) tail[k] = i + k < n ? a[i + k] : T(1);
  TileOp last = op;
  last.in[0] = tail, last.out = tail;
  MathLoop<F, T, Arch>(last, kWidth);
  for (int64_t k = 0; i + k < n; ++k) out[i + k] = tail[k];
}

// a * b + c, with one rounding where the machine has FMA.
template <class Batch>
inline Batch MultiplyAdd(const Batch& a, const Batch& b, const Batch& c) {
#if defined(__AVX512F__)
  // Of AVX-512, xsimd 8 knows the registers but not their FMA.
  if constexpr (sizeof(typename Batch::value_type) == 4) return _mm512_fmadd_ps(a, b, c);
  else return _mm512_fmadd_pd(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}
// A batch as the compiler's vector, and back. For NEON, xsimd's << looks for the number among all that there are, its
// bitwise_cast is a call, and its quotient of floats is an estimate that is refined.
template <class Batch>
inline auto ToVector(const Batch& x) {
  using Register = typename Batch::register_type;
  typedef typename Batch::value_type V __attribute__((vector_size(sizeof(Register))));
  return (V)(Register)x;
}
template <class Batch, class V>
inline Batch ToBatch(V v) {
  return Batch((typename Batch::register_type)v);
}
template <int count, class Batch>
inline Batch ShiftLeft(const Batch& x) {
  return ToBatch<Batch>(ToVector(x) << count);
}
template <class Batch>
inline Batch Quotient(const Batch& a, const Batch& b) {
  return ToBatch<Batch>(ToVector(a) / ToVector(b));
}
// Of a polynomial's coefficients, from the highest power down.
template <class Batch, class... Coefficients>
inline Batch Horner(const Batch& at, double first, Coefficients... others) {
  using T = typename Batch::value_type;
  Batch sum(static_cast<T>(first));
  ((sum = MultiplyAdd(sum, at, Batch(static_cast<T>(others)))), ...);
  return sum;
}

// exp(x) = 2^n (1 + p), where n is the whole number nearest to x / ln 2. For |x| < 2^20, and infinities are not for it.
// The polynomial is (exp(r) - 1 - r) / r^2 at Chebyshev's points of |r| <= ln 2 / 2, where p is 2^-30 of itself off, in
// f64 2^-60.
template <class T, class Arch>
struct ExpParts {
  using Batch = xsimd::batch<T, Arch>;
  using Bits = xsimd::batch<Unsigned<T>, Arch>;
  static constexpr int kMantissa = sizeof(T) == 4 ? 23 : 52, kBias = sizeof(T) == 4 ? 127 : 1023;
  // Plus a number: rounded to a whole one, which plus the bias is in the lowest bits.
  static constexpr T kRounder = (sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52)) + kBias;

  Batch shifted, n, p;
  explicit ExpParts(const Batch& x) {
    shifted = MultiplyAdd(x, Batch(T(1.44269504088896340736)), Batch(kRounder));
    n = shifted - Batch(kRounder);
    if constexpr (sizeof(T) == 4) {
      const Batch r = MultiplyAdd(n, Batch(T(2.12194440e-4)), MultiplyAdd(n, Batch(T(-0.693359375)), x));
      p = MultiplyAdd(r * r,
                      Horner(r, 0x1.a1256cp-13, 0x1.6d43b0p-10, 0x1.1110e0p-7, 0x1.5554e8p-5, 0x1.555556p-3, 0.5), r);
    } else {
      const Batch r = MultiplyAdd(n, Batch(T(-0x1.a39ef35793c76p-33)), MultiplyAdd(n, Batch(T(-0x1.62e42feep-1)), x));
      p = MultiplyAdd(r * r,
                      Horner(r, 0x1.1f7340dbc337ep-29, 0x1.af4e554377204p-26, 0x1.27e4db46cddd1p-22,
                             0x1.71de01fdbf9cap-19, 0x1.a01a01a6e1e2ap-16, 0x1.a01a01abf85abp-13, 0x1.6c16c16c162c3p-10,
                             0x1.11111111100bep-7, 0x1.5555555555556p-5, 0x1.5555555555557p-3, 0.5),
                      r);
    }
  }
  // 2^k of a whole number k, if that is a normal number.
  static Batch Power(const Batch& k) { return ToPower(k + Batch(kRounder)); }
  static Batch ToPower(const Batch& shifted) {
    return ToBatch<Batch>(ToVector(ShiftLeft<kMantissa>(ToBatch<Bits>(ToVector(shifted)))));
  }
  Batch Scale() const { return ToPower(shifted); }  // 2^n, if that is a normal number
  // exp(x) where it is a normal number.
  Batch Within() const {
    const Batch scale = Scale();
    return MultiplyAdd(scale, p, scale);
  }
  // exp(x) everywhere.
  Batch Anywhere() const {
    const Batch y = p + Batch(T(1));
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return _mm512_scalef_ps(y, n);
    else return _mm512_scalef_pd(y, n);
#else
    const Batch half = MultiplyAdd(n, Batch(T(0.5)), Batch(kRounder)) - Batch(kRounder);
    return y * Power(half) * Power(n - half);
#endif
  }
};

// Up to here exp of a number of either sign is a normal number; and the ends past which it is 0 or infinity.
template <class T>
constexpr T kExpNormal = sizeof(T) == 4 ? T(87.3) : T(708.3);
template <class T>
constexpr T kExpZero = sizeof(T) == 4 ? T(-105) : T(-746);
template <class T>
constexpr T kExpInfinity = sizeof(T) == 4 ? T(89) : T(710);
template <class T>
constexpr T kSmallestNormal = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);

// Of the first operand's and a NaN, the NaN: so x comes second.
template <class T, class Arch>
inline xsimd::batch<T, Arch> Between(T low, const xsimd::batch<T, Arch>& x, T high) {
  using Batch = xsimd::batch<T, Arch>;
  return xsimd::min(Batch(high), xsimd::max(Batch(low), x));
}

// Some functions take fewer steps, and no branches, within kUsual<T> of 0: `Usual`, which equals `Apply` there.
struct ExpFn {
  template <class T>
  static constexpr T kUsual = kExpNormal<T>;
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Usual(const xsimd::batch<T, Arch>& x) {
    return ExpParts<T, Arch>(x).Within();
  }
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
#if !defined(__AVX512F__)
    if (xsimd::all(xsimd::abs(x) <= xsimd::batch<T, Arch>(kUsual<T>))) return Usual<T, Arch>(x);
#endif
    return ExpParts<T, Arch>(Between(kExpZero<T>, x, kExpInfinity<T>)).Anywhere();
  }
};
struct Expm1Fn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    using Parts = ExpParts<T, Arch>;
    const Parts parts(Between(T(-60), x, kExpInfinity<T>));
    // Of half of 2^n, which may be more than the largest number.
    const Batch half = Parts::Power(parts.n - Batch(T(1)));
    const Batch y = MultiplyAdd(half, parts.p, half - Batch(T(0.5)));
    return xsimd::select(x == Batch(T(0)), x, y + y);  // -0 is its own
  }
};
struct TanhFn {  // e / (e + 2) for e = exp(2|x|) - 1
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    using Parts = ExpParts<T, Arch>;
    constexpr T kOne = sizeof(T) == 4 ? T(10) : T(20);  // from here on the result is 1
    const Batch size = xsimd::min(Batch(kOne), xsimd::abs(x));
    const Parts parts(size + size);
    const Batch scale = parts.Scale(), e = MultiplyAdd(scale, parts.p, scale - Batch(T(1)));
    // Compensates the rounding of the sum: 1 - y is 2 / (e + 2).
    const Batch two(T(2)), sum = e + two, y = Quotient(e, sum);
    const Batch lost = (xsimd::max(e, two) - sum) + xsimd::min(e, two);
    return xsimd::copysign(MultiplyAdd(y * lost, MultiplyAdd(y, Batch(T(0.5)), Batch(T(-0.5))), y), x);
  }
};
struct LogisticFn {  // 1 / (1 + exp(-x)); of small results e - e^2, for e = exp(x), of which e^3 does not matter
  template <class T>
  static constexpr T kUsual = sizeof(T) == 4 ? T(9) : T(19);
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Usual(const xsimd::batch<T, Arch>& x) {
    const xsimd::batch<T, Arch> one(T(1));
    return Quotient(one, one + ExpParts<T, Arch>(-x).Within());
  }
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch one(T(1));
    if (xsimd::all(xsimd::abs(x) <= Batch(kUsual<T>))) return Usual<T, Arch>(x);
    const auto low = x < Batch(-kUsual<T>);
    // A NaN's sign turns as in -x; xsimd's minus of AVX-512 subtracts from 0.
    const Batch e = ExpFn::Apply<T, Arch>(xsimd::select(low, x, x ^ Batch(T(-0.0))));
    return xsimd::select(low, MultiplyAdd(-e, e, e), Quotient(one, one + e));
  }
};
// log by fdlibm's formula of a normal number u = 2^k (1 + f), where 1 + f is between the roots of 1/2 and 2.
template <class Arch>
struct LogParts {
  using Batch = xsimd::batch<float, Arch>;
  Batch k, f;
  explicit LogParts(const Batch& u) {
    typedef uint32_t U __attribute__((vector_size(sizeof(typename Batch::register_type))));
    typedef int32_t S __attribute__((vector_size(sizeof(typename Batch::register_type))));
    const U bits = (U)ToVector(u);
    const S exponent = (S)(bits - 0x3f3504f3) >> 23;
    k = ToBatch<Batch>(__builtin_convertvector(exponent, decltype(ToVector(u))));
    f = ToBatch<Batch>(bits - ((U)exponent << 23)) - Batch(1);
  }
  // log(u) + c, of which c is small.
  Batch Sum(const Batch& c) const {
    const Batch s = Quotient(f, Batch(2) + f), z = s * s, w = z * z, half = Batch(0.5f) * f * f;
    const Batch odd = w * MultiplyAdd(w, Batch(0x1.f13c4cp-3f), Batch(0x1.999c26p-2f));
    const Batch even = z * MultiplyAdd(w, Batch(0x1.23d3dcp-2f), Batch(0x1.555554p-1f));
    const Batch low = MultiplyAdd(s, half + (even + odd), k * Batch(-0x1.bd0106p-13f) + c);
    return MultiplyAdd(k, Batch(0x1.63p-1f), low - half + f);
  }
};
struct LogFn {  // of NaNs there is one
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch zero(T(0)), infinity(static_cast<T>(__builtin_inf()));
    const auto of_normal = [&](const Batch& u) {
      if constexpr (sizeof(T) == 4) return LogParts<Arch>(u).Sum(zero);
      else return xsimd::log(u);  // which takes denormals for their bits
    };
    if (xsimd::all((x >= Batch(kSmallestNormal<T>)) & (x < infinity))) return of_normal(x);
    const auto small = x < Batch(kSmallestNormal<T>);
    const Batch y = of_normal(xsimd::select(small, x * Batch(T(0x1p54)), x)) -
                    xsimd::select(small, Batch(T(54 * 0.693147180559945309417232121458L)), zero);
    const Batch none = xsimd::select(x < zero, Batch(static_cast<T>(-__builtin_nan(""))), x);
    return xsimd::select((x > zero) & (x < infinity), y, xsimd::select(x == zero, -infinity, none));
  }
};
struct Log1pFn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch zero(T(0));
    if constexpr (sizeof(T) == 8) {
      return xsimd::select((x < zero) | (x > zero), xsimd::log1p(x), x);  // -0 and each NaN are their own
    } else {
      const Batch one(T(1)), infinity(__builtin_inff()), u = x + one;
      const LogParts<Arch> parts(u);
      const Batch lost = xsimd::select(parts.k >= Batch(T(2)), one - (u - x), x - (u - one));  // in rounding to u
      const Batch y = parts.Sum(Quotient(lost, u));
      const Batch none = xsimd::select(x < -one, Batch(-__builtin_nanf("")), x);
      const Batch end = xsimd::select(x == -one, -infinity, none);
      return xsimd::select((x > -one) & (x < infinity) & (x != zero), y, end);
    }
  }
};
// Polynomials by Lawson's method, the best in f64 and then rounded: below 0.92 erf(x)/x - 1 in x^2, 2^-31 of the result
// off, above it the logarithm of erfc(x), 2^-34 off; from 4 on the result is 1.
struct ErfF32Fn {
  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    const Batch size = xsimd::abs(x), z = x * x;
    const Batch small = Horner(z, 0x1.5f9594p-14, -0x1.ab107cp-11, 0x1.54df1ep-8, -0x1.b810eap-6, 0x1.ce2e24p-4,
                               -0x1.812744p-2, 0x1.06eba8p-3);
    const auto low = size < Batch(T(0.92));
    const Batch inner = MultiplyAdd(x, small, x);
    if (xsimd::all(low)) return inner;
    const Batch t = xsimd::min(size, Batch(T(4)));
    const Batch log = Horner(t, -0x1.61ea26p-16, 0x1.c790e6p-12, -0x1.115abep-8, 0x1.9b8e78p-6, -0x1.bb83e2p-4,
                             -0x1.44460cp-1, -0x1.2127e4p+0, 0x1.6e563ap-13);
    const Batch outer = xsimd::copysign(Batch(T(1)) - ExpParts<T, Arch>(log).Within(), x);
    return xsimd::select(xsimd::isnan(x), x, xsimd::select(low, inner, outer));
  }
};

// The two halves of a vector of floats as doubles, and back.
template <class Arch>
struct Doubles {
  using Narrow = xsimd::batch<float, Arch>;
  using Batch = xsimd::batch<double, Arch>;
#if defined(__AVX512F__)
  static Batch Low(const Narrow& x) { return _mm512_cvtps_pd(_mm512_castps512_ps256(x)); }
  static Batch High(const Narrow& x) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)); }
  static Narrow Join(const Batch& low, const Batch& high) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
  }
#elif defined(__AVX2__)
  static Batch Low(const Narrow& x) { return _mm256_cvtps_pd(_mm256_castps256_ps128(x)); }
  static Batch High(const Narrow& x) { return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)); }
  static Narrow Join(const Batch& low, const Batch& high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
  }
#elif defined(__aarch64__)
  static Batch Low(const Narrow& x) { return vcvt_f64_f32(vget_low_f32(x)); }
  static Batch High(const Narrow& x) { return vcvt_high_f64_f32(x); }
  static Narrow Join(const Batch& low, const Batch& high) { return vcvt_high_f32_f64(vcvt_f32_f64(low), high); }
#else
  static Batch Low(const Narrow& x) { return _mm_cvtps_pd(x); }
  static Batch High(const Narrow& x) { return _mm_cvtps_pd(_mm_movehl_ps(x, x)); }
  static Narrow Join(const Batch& low, const Batch& high) {
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
  }
#endif
};

// sin and cos: x less the nearest multiple of pi/2, and polynomials of the rest. Beyond 2^20 the parts that hold pi/2
// are not enough: libm.
template <bool cosine>
struct SinCosFn {
  // The multiple of pi/2, and the polynomial that its last bit selects, with the sign of the next one.
  template <class Arch>
  struct Turns {
    using Batch = xsimd::batch<double, Arch>;
    using Bits = xsimd::batch<uint64_t, Arch>;
    Batch turns;
    Bits quarter;
    explicit Turns(const Batch& x) {
      const Batch round(0x1.8p52);  // plus a number: rounded to an integer, which is in the lowest bits
      const Batch shifted = MultiplyAdd(x, Batch(0x1.45f306dc9c883p-1), round);
      turns = shifted - round;
      quarter = ToBatch<Bits>(ToVector(shifted)) + Bits(cosine ? 1 : 0);
    }
    Batch Choose(const Batch& sine, const Batch& cosine_of) const {
      const Batch last =
          ToBatch<Batch>(ToVector(ShiftLeft<62>(quarter)));  // 2 where it is odd, and the next bit is the sign
      return xsimd::select(last != Batch(0.0), cosine_of, sine) ^ (last & Batch(-0.0));
    }
  };

  // For f32, in f64: the polynomials are the best by Lawson's method, 2^-37 and 2^-33 of the result off.
  template <class Arch>
  static xsimd::batch<double, Arch> Wide(const xsimd::batch<double, Arch>& x) {
    using Batch = xsimd::batch<double, Arch>;
    const Turns<Arch> at(x);
    const Batch r =
        MultiplyAdd(at.turns, Batch(-0x1.0b4611a626331p-34), MultiplyAdd(at.turns, Batch(-0x1.921fb544p+0), x));
    const Batch z = r * r;
    const Batch sine =
        r * Horner(z, 0x1.6cd8388d29c00p-19, -0x1.a00f9d2276870p-13, 0x1.11110895a9844p-7, -0x1.5555554cb90dap-3, 1);
    const Batch cosine_of =
        Horner(z, 0x1.9916426625800p-16, -0x1.6c07efdcc5d40p-10, 0x1.55553c74ae8e9p-5, -0x1.ffffffcb77d3cp-2, 1);
    return at.Choose(sine, cosine_of);
  }

  // For f64. The multiple of pi/2 is taken away in three parts, of which the first two have 33 bits, so that their
  // products are exact; what is left has a second number for what its own 53 bits do not hold, since near a zero of the
  // result nothing else may be left. (xsimd's chooses the reduction by all lanes together, and loses digits there.)
  // Taylor's series.
  template <class Arch>
  static xsimd::batch<double, Arch> Within(const xsimd::batch<double, Arch>& x) {
    using Batch = xsimd::batch<double, Arch>;
    const Turns<Arch> at(x);
    // Differences with their rounding errors.
    const Batch first = x - at.turns * Batch(0x1.921fb54400000p+0), middle = at.turns * Batch(0x1.0b4611a600000p-34);
    const Batch high = first - middle, back = high - first;
    const Batch low = ((first - (high - back)) - (middle + back)) - at.turns * Batch(0x1.3198a2e037073p-69);
    const Batch r = high + low, over = r - high, rest = (high - (r - over)) + (low - over);
    const Batch z = r * r, half = z * Batch(0.5);
    const Batch s = Horner(z, -1. / 355687428096000, 1. / 1307674368000, -1. / 6227020800, 1. / 39916800, -1. / 362880,
                           1. / 5040, -1. / 120);
    const Batch sine = r + (rest - (half * rest - r * z * (Batch(-1. / 6) - z * s)));
    const Batch c = Horner(z, -1. / 6402373705728000, 1. / 20922789888000, -1. / 87178291200, 1. / 479001600,
                           -1. / 3628800, 1. / 40320, -1. / 720, 1. / 24);
    const Batch one(1), top = one - half;
    const Batch cosine_of = top + (((one - top) - half) + (z * z * c - r * rest));
    const Batch result = at.Choose(sine, cosine_of);
    if constexpr (cosine) return result;
    return xsimd::select(x == Batch(0.0), x, result);  // -0 less 0 would be +0
  }

  template <class T, class Arch>
  static xsimd::batch<T, Arch> Apply(const xsimd::batch<T, Arch>& x) {
    using Batch = xsimd::batch<T, Arch>;
    Batch y;
    if constexpr (sizeof(T) == 4)
      y = Doubles<Arch>::Join(Wide<Arch>(Doubles<Arch>::Low(x)), Wide<Arch>(Doubles<Arch>::High(x)));
    else y = Within<Arch>(x);
    constexpr T kFar = T(0x1p20);
    if (xsimd::all(xsimd::abs(x) < Batch(kFar))) return y;
    alignas(64) T from[Batch::size], to[Batch::size];
    x.store_aligned(from), y.store_aligned(to);
#pragma GCC unroll 1
    for (size_t k = 0; k < Batch::size; ++k) {
      if (AbsFn::Apply(from[k]) < kFar) continue;
      if constexpr (sizeof(T) == 4) to[k] = cosine ? __builtin_cosf(from[k]) : __builtin_sinf(from[k]);
      else to[k] = cosine ? __builtin_cos(from[k]) : __builtin_sin(from[k]);
    }
    return Batch::load_aligned(to);
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
  set(UnaryOp::kSin, SinCosFn<false>());
  set(UnaryOp::kCos, SinCosFn<true>());
  if constexpr (P == TileType::kF32) set(UnaryOp::kErf, ErfF32Fn());
}
template <class Arch>
void FillMath(KernelTable& table) {
  FillMathOf<TileType::kF32, Arch>(table);
  FillMathOf<TileType::kF64, Arch>(table);
}

}  // namespace
}  // namespace hloir::cpu
