// Elementwise ops on one element. One struct per op; an overload for each supported kind of element (pred, integers,
// floats, complex). Every op gets `bits`, the width of the element type: types under a byte are stored in int8 or
// uint8, and the caller truncates overflows.
//
// Narrow floats (bf16, f16, f8…) are passed as f32 and rounded by the caller. Integer arithmetic uses uint64_t, in
// which overflow wraps. Tests: tests/ops/*.hlo.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hloir/attributes.h"
#include "hloir/opcode.h"

namespace hloir::reference {

// Op X has kernels and an evaluator as soon as an XOp is defined below; one that needs more than its elements (compare,
// select, copy, …) has an Evaluate function in elementwise.cc instead.
#define HLOIR_OP(name, ...) struct name##Op;
#include "hloir/opcodes.def"
#undef HLOIR_OP
template <class Op>
concept HasScalarOp = requires {
  sizeof(Op);
};

template <class T>
concept Pred = std::same_as<T, bool>;
template <class T>
concept Int = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Float = std::floating_point<T>;
template <class T>
inline constexpr bool kComplexType = false;
template <class T>
inline constexpr bool kComplexType<std::complex<T>> = true;
template <class T>
concept Cplx = kComplexType<T>;

// The low `bits` bits of x, zero-extended and sign-extended.
template <Int T>
uint64_t ZeroExtend(T x, int bits) {
  return static_cast<uint64_t>(x) & (~uint64_t{0} >> (64 - bits));
}
template <Int T>
int64_t SignExtend(T x, int bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - bits)) >> (64 - bits);
}

// An op given by a function on double: f32 is computed in double and rounded once, so it is almost exact.
#define HLOIR_FLOAT_FUNCTION(Name, expression)       \
  struct Name##Op {                                  \
    template <Float T>                               \
    T operator()(T operand, int) const {             \
      const double x = static_cast<double>(operand); \
      return static_cast<T>(expression);             \
    }                                                \
  };
// Functions whose error in libm's double is over 2 ulp: x86's 80-bit numbers.
inline long double Wide(double x) { return x; }
// The same for floats and complex numbers alike.
#define HLOIR_COMPLEX_FUNCTION(Name, float_expression, complex_expression) \
  struct Name##Op {                                                        \
    template <Float T>                                                     \
    T operator()(T operand, int) const {                                   \
      const double x = static_cast<double>(operand);                       \
      return static_cast<T>(float_expression);                             \
    }                                                                      \
    template <Cplx T>                                                      \
    T operator()(T operand, int) const {                                   \
      const std::complex<double> x(operand);                               \
      return static_cast<T>(std::complex<double>(complex_expression));     \
    }                                                                      \
  };
HLOIR_COMPLEX_FUNCTION(Acos, std::acos(x), std::acos(x))
HLOIR_COMPLEX_FUNCTION(Acosh, std::acosh(Wide(x)), std::acosh(x))
HLOIR_COMPLEX_FUNCTION(Asin, std::asin(x), std::asin(x))
HLOIR_COMPLEX_FUNCTION(Asinh, std::asinh(x), std::asinh(x))
HLOIR_COMPLEX_FUNCTION(Atanh, std::atanh(x), std::atanh(x))
HLOIR_FLOAT_FUNCTION(Cbrt, std::cbrt(Wide(x)))
HLOIR_COMPLEX_FUNCTION(Cos, std::cos(x), std::cos(x))
HLOIR_COMPLEX_FUNCTION(Cosh, std::cosh(x), std::cosh(x))
HLOIR_FLOAT_FUNCTION(Erf, std::erf(x))
HLOIR_COMPLEX_FUNCTION(Exp, std::exp(x), std::exp(x))
HLOIR_COMPLEX_FUNCTION(Log, std::log(x), std::log(x))
HLOIR_COMPLEX_FUNCTION(Logistic, x < -700 ? std::exp(x) : 1 / (1 + std::exp(-x)), 1.0 / (1.0 + std::exp(-x)))
HLOIR_COMPLEX_FUNCTION(Rsqrt, 1 / std::sqrt(x), 1.0 / std::sqrt(x))
HLOIR_COMPLEX_FUNCTION(Sin, std::sin(x), std::sin(x))
HLOIR_COMPLEX_FUNCTION(Sinh, std::sinh(x), std::sinh(x))
HLOIR_COMPLEX_FUNCTION(Sqrt, std::sqrt(x), std::sqrt(x))
HLOIR_COMPLEX_FUNCTION(Tan, std::tan(x), std::tan(x))
HLOIR_COMPLEX_FUNCTION(Tanh, std::tanh(Wide(x)), std::tanh(x))
// e^z - 1 and log(1 + z) without cancellation near 0.
inline std::complex<double> ComplexExpm1(std::complex<double> z) {
  if (z.imag() == 0) return {std::expm1(z.real()), z.imag()};  // also where the real part is infinite
  const double s = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * s * s, std::exp(z.real()) * std::sin(z.imag())};
}
inline std::complex<double> ComplexLog1p(std::complex<double> z) {
  const double x = z.real(), y = z.imag();
  // |1 + z|^2 - 1 = x(2 + x) + y^2, which has no cancellation unless z is near -2 or -1, where the log is not near 0.
  // If |1 + z| would overflow, half of it does not.
  const double real = std::abs(x) < 0.5 && std::abs(y) < 0.5 ? 0.5 * std::log1p(x * (2 + x) + y * y)
                      : std::abs(x) > 0x1p1000 || std::abs(y) > 0x1p1000
                          ? std::log(std::hypot(x / 2, y / 2)) + 0.693147180559945309417
                          : std::log(std::hypot(1 + x, y));
  return {real, std::atan2(y, 1 + x)};
}
HLOIR_COMPLEX_FUNCTION(Expm1, std::expm1(x), ComplexExpm1(x))
HLOIR_COMPLEX_FUNCTION(Log1p, std::log1p(x), ComplexLog1p(x))
HLOIR_FLOAT_FUNCTION(Ceil, std::ceil(x))
HLOIR_FLOAT_FUNCTION(Floor, std::floor(x))
HLOIR_FLOAT_FUNCTION(RoundNearestAfz, std::round(x))       // halves away from zero
HLOIR_FLOAT_FUNCTION(RoundNearestEven, std::nearbyint(x))  // halves to even: the default rounding mode
#undef HLOIR_FLOAT_FUNCTION
#undef HLOIR_COMPLEX_FUNCTION

struct AbsOp {
  template <Int T>
  T operator()(T x, int) const {
    if constexpr (std::is_signed_v<T>) return x < 0 ? static_cast<T>(-static_cast<uint64_t>(x)) : x;  // |MIN| is MIN
    else return x;
  }
  template <Float T>
  T operator()(T x, int) const {
    return std::abs(x);
  }
  template <Cplx T>
  typename T::value_type operator()(T x, int) const {
    return static_cast<typename T::value_type>(
        std::hypot(static_cast<double>(x.real()), static_cast<double>(x.imag())));
  }
};
struct ClzOp {
  template <Int T>
  T operator()(T x, int bits) const {
    return static_cast<T>(std::countl_zero(ZeroExtend(x, bits)) - (64 - bits));
  }
};
struct PopulationCountOp {
  template <Int T>
  T operator()(T x, int bits) const {
    return static_cast<T>(std::popcount(ZeroExtend(x, bits)));
  }
};
struct ImagOp {
  template <Float T>
  T operator()(T, int) const {
    return 0;
  }
  template <Cplx T>
  typename T::value_type operator()(T x, int) const {
    return x.imag();
  }
};
struct RealOp {
  template <Float T>
  T operator()(T x, int) const {
    return x;
  }
  template <Cplx T>
  typename T::value_type operator()(T x, int) const {
    return x.real();
  }
};
struct IsFiniteOp {
  template <Float T>
  bool operator()(T x, int) const {
    return std::isfinite(x);
  }
};
struct NegateOp {
  template <Int T>
  T operator()(T x, int) const {
    return static_cast<T>(-static_cast<uint64_t>(x));
  }
  template <class T>
  requires(Float<T> || Cplx<T>) T operator()(T x, int) const { return -x; }
};
struct NotOp {
  bool operator()(bool x, int) const { return !x; }
  template <Int T>
  T operator()(T x, int) const {
    return static_cast<T>(~static_cast<uint64_t>(x));
  }
};
struct SignOp {
  template <Int T>
  T operator()(T x, int) const {
    return static_cast<T>((x > 0) - (x < 0));
  }
  // NaN stays NaN, and -0 stays -0.
  template <Float T>
  T operator()(T x, int) const {
    return x == 0 || std::isnan(x) ? x : std::copysign(T(1), x);
  }
  template <Cplx T>
  T operator()(T x, int) const {
    const double length = std::hypot(static_cast<double>(x.real()), static_cast<double>(x.imag()));
    return length == 0 ? T(0) : T(std::complex<double>(x) / length);
  }
};
struct CopyElement {
  template <class T>
  T operator()(T x, int) const {
    return x;
  }
};

// Addition and multiplication of preds are `or` and `and`.
struct AddOp {
  bool operator()(bool a, bool b, int) const { return a || b; }
  template <Int T>
  T operator()(T a, T b, int) const {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
  template <class T>
  requires(Float<T> || Cplx<T>) T operator()(T a, T b, int) const { return a + b; }
};
struct SubtractOp {
  bool operator()(bool a, bool b, int) const { return a != b; }
  template <Int T>
  T operator()(T a, T b, int) const {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  }
  template <class T>
  requires(Float<T> || Cplx<T>) T operator()(T a, T b, int) const { return a - b; }
};
struct MultiplyOp {
  bool operator()(bool a, bool b, int) const { return a && b; }
  template <Int T>
  T operator()(T a, T b, int) const {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
  template <Float T>
  T operator()(T a, T b, int) const {
    return a * b;
  }
  // The plain formula; C's complex product corrects infinities.
  template <Cplx T>
  T operator()(T a, T b, int) const {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
};
struct DivideOp {
  // x / 0 is -1 (all ones); MIN / -1 is MIN.
  template <Int T>
  T operator()(T a, T b, int) const {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(-static_cast<uint64_t>(a));
    }
    return static_cast<T>(a / b);
  }
  template <class T>
  requires(Float<T> || Cplx<T>) T operator()(T a, T b, int) const { return a / b; }
};
struct RemainderOp {
  // The sign is the dividend's; x % 0 is x; MIN % -1 is 0.
  template <Int T>
  T operator()(T a, T b, int) const {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
  template <Float T>
  T operator()(T a, T b, int) const {
    return std::fmod(a, b);
  }
};
// A NaN in either operand is the result; -0 is less than +0.
struct MaximumOp {
  template <class T>
  requires(Int<T> || Pred<T>) T operator()(T a, T b, int) const { return a < b ? b : a; }
  template <Float T>
  T operator()(T a, T b, int) const {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    return a < b || (a == b && std::signbit(a)) ? b : a;
  }
};
struct MinimumOp {
  template <class T>
  requires(Int<T> || Pred<T>) T operator()(T a, T b, int) const { return b < a ? b : a; }
  template <Float T>
  T operator()(T a, T b, int) const {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    return b < a || (a == b && std::signbit(b)) ? b : a;
  }
};
struct MulhiOp {
  // The upper half of the product of twice the width.
  template <Int T>
  T operator()(T a, T b, int bits) const {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> bits);
  }
};
struct PowerOp {
  // By squaring, wrapping. A negative exponent is 1 over the power: 0 unless the base is 1 or -1.
  template <Int T>
  T operator()(T base, T exponent, int) const {
    uint64_t e = static_cast<uint64_t>(exponent);
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) return base == 1 ? 1 : base == -1 ? (e & 1 ? -1 : 1) : 0;
    }
    uint64_t result = 1, square = static_cast<uint64_t>(base);
    for (; e != 0; e >>= 1, square *= square) {
      if (e & 1) result *= square;
    }
    return static_cast<T>(result);
  }
  // 1^NaN and NaN^0 are 1. So they are by C's pow, but for signalling NaNs.
  template <Float T>
  T operator()(T a, T b, int) const {
    if (static_cast<double>(b) == 0 || static_cast<double>(a) == 1) return T(1);
    return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  }
  template <Cplx T>
  T operator()(T a, T b, int) const {
    const std::complex<double> base(a), exponent(b);
    if (exponent == 0.0) return T(1);  // of NaN too, as for real numbers
    if (base == 0.0) return exponent.real() > 0 ? T(0) : T(std::pow(base, exponent));
    // A real power of infinity stays on the real axis; by its logarithm, 0 times infinity would make the angle NaN.
    if (std::isinf(base.real()) && base.real() > 0 && base.imag() == 0 && exponent.imag() == 0)
      return T(std::pow(base.real(), exponent.real()), 0);
    return T(std::pow(base, exponent));
  }
};
struct Atan2Op {
  template <Float T>
  T operator()(T y, T x, int) const {
    return static_cast<T>(std::atan2(static_cast<double>(y), static_cast<double>(x)));
  }
  // -i log((x + iy) / sqrt(x^2 + y^2))
  template <Cplx T>
  T operator()(T y, T x, int) const {
    const std::complex<double> a(x), b(y), i(0, 1);
    return T(-i * std::log((a + i * b) / std::sqrt(a * a + b * b)));
  }
};
struct ComplexOp {
  template <Float T>
  std::complex<T> operator()(T real, T imag, int) const {
    return {real, imag};
  }
};
struct AndOp {
  bool operator()(bool a, bool b, int) const { return a && b; }
  template <Int T>
  T operator()(T a, T b, int) const {
    return static_cast<T>(a & b);
  }
};
struct OrOp {
  bool operator()(bool a, bool b, int) const { return a || b; }
  template <Int T>
  T operator()(T a, T b, int) const {
    return static_cast<T>(a | b);
  }
};
struct XorOp {
  bool operator()(bool a, bool b, int) const { return a != b; }
  template <Int T>
  T operator()(T a, T b, int) const {
    return static_cast<T>(a ^ b);
  }
};
// Shift amounts are unsigned: a negative one is a huge one. Shifting by the width or more shifts everything out.
struct ShiftLeftOp {
  template <Int T>
  T operator()(T x, T amount, int bits) const {
    const uint64_t n = ZeroExtend(amount, bits);
    return n >= static_cast<uint64_t>(bits) ? T(0) : static_cast<T>(static_cast<uint64_t>(x) << n);
  }
};
struct ShiftRightLogicalOp {
  template <Int T>
  T operator()(T x, T amount, int bits) const {
    const uint64_t n = ZeroExtend(amount, bits);
    return n >= static_cast<uint64_t>(bits) ? T(0) : static_cast<T>(ZeroExtend(x, bits) >> n);
  }
};
struct ShiftRightArithmeticOp {
  template <Int T>
  T operator()(T x, T amount, int bits) const {
    const uint64_t n = ZeroExtend(amount, bits);
    return static_cast<T>(SignExtend(x, bits) >> (n >= static_cast<uint64_t>(bits) ? uint64_t{63} : n));
  }
};

// With a NaN every comparison but NE is false. Complex numbers have no order.
template <ComparisonDirection kDirection>
struct CompareElement {
  template <class T>
  bool operator()(T a, T b, int) const
      requires(!Cplx<T> || kDirection == ComparisonDirection::kEq || kDirection == ComparisonDirection::kNe) {
    if constexpr (kDirection == ComparisonDirection::kEq) return a == b;
    else if constexpr (kDirection == ComparisonDirection::kNe) return a != b;
    else if constexpr (kDirection == ComparisonDirection::kGe) return a >= b;
    else if constexpr (kDirection == ComparisonDirection::kGt) return a > b;
    else if constexpr (kDirection == ComparisonDirection::kLe) return a <= b;
    else return a < b;
  }
};
// -NaN < -inf < … < -0 < +0 < … < inf < NaN: the order of the bits as sign and magnitude.
template <ComparisonDirection kDirection>
struct TotalOrderCompareElement {
  template <Float T>
  bool operator()(T a, T b, int bits) const {
    return CompareElement<kDirection>()(Key(a), Key(b), bits);
  }
  template <class T>
  requires(Int<T> || Pred<T>) bool operator()(T a, T b, int bits) const {
    return CompareElement<kDirection>()(a, b, bits);
  }
  template <Float T>
  static int64_t Key(T x) {
    using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    const Bits raw = std::bit_cast<Bits>(x);
    return raw < 0 ? static_cast<int64_t>(raw ^ std::numeric_limits<Bits>::max()) : raw;
  }
};

// min(high, max(low, x)): high takes precedence over low; any NaN gives NaN.
struct ClampOp {
  template <class T>
  requires(!Cplx<T>) T operator()(T low, T x, T high, int bits) const {
    return MinimumOp()(high, MaximumOp()(x, low, bits), bits);
  }
  // Complex numbers are compared by their real parts, as in XLA:CPU; a NaN compared with `high` gives `high`.
  template <Cplx T>
  T operator()(T low, T x, T high, int) const {
    const T at_least_low = low.real() >= x.real() ? low : x;
    return at_least_low.real() <= high.real() ? at_least_low : high;
  }
};
struct SelectElement {
  template <class T>
  T operator()(bool which, T on_true, T on_false, int) const {
    return which ? on_true : on_false;
  }
};

}  // namespace hloir::reference
