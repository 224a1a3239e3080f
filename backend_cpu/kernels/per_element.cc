// Tile kernels that do one element after the other whatever the machine: calls of libm, which are within 1 ulp, and
// division of integers, which no instruction set does side by side. Every instruction set's table begins with these, so
// that they are compiled only once; vectorized kernels then take the place of some (of divisions, of up to 32 bits).
// Bounds: opcodes.def; tests: tests/exhaustive, tests/ops.
#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {
namespace {

// Functions whose error in libm is over 2 ulp are computed in a wider type; sin and cos of f32 too, as in vectors, so
// that the results nearly always are the same.
inline double WideCbrt(double x) { return static_cast<double>(__builtin_cbrtl(x)); }
inline double WideAcosh(double x) { return static_cast<double>(__builtin_acoshl(x)); }
inline float WideAcoshf(float x) { return static_cast<float>(__builtin_acosh(x)); }
inline double WideTanh(double x) { return static_cast<double>(__builtin_tanhl(x)); }
inline float WideSinf(float x) { return static_cast<float>(__builtin_sin(x)); }
inline float WideCosf(float x) { return static_cast<float>(__builtin_cos(x)); }
inline float WideTanhf(float x) { return static_cast<float>(__builtin_tanh(x)); }
#define HLOIR_LIBM_FN(name, f32, f64)                              \
  struct name {                                                    \
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
HLOIR_LIBM_FN(Atan2Fn, __builtin_atan2f, __builtin_atan2)
HLOIR_LIBM_FN(ExpFn, __builtin_expf, __builtin_exp)
HLOIR_LIBM_FN(LogFn, __builtin_logf, __builtin_log)
HLOIR_LIBM_FN(TanhFn, WideTanhf, WideTanh)
HLOIR_LIBM_FN(SinFn, WideSinf, __builtin_sin)
HLOIR_LIBM_FN(CosFn, WideCosf, __builtin_cos)
#undef HLOIR_LIBM_FN
// C's pow makes NaN of a signalling NaN, whatever the other operand.
struct PowerFn {
  template <class T>
  static T Apply(T x, T y) {
    if (y == 0 || x == 1) return 1;
    if constexpr (std::is_same_v<T, float>) return __builtin_powf(x, y);
    else return __builtin_pow(x, y);
  }
};
// One loop for tiles and scalars, which are read again and again: the work on an element takes far longer.
template <class F, class T>
[[gnu::noinline]] void PerElement(const T* a, int64_t a_step, const T* b, int64_t b_step, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = F::Apply(a[i * a_step], b[i * b_step]);
}
template <class F, class T, OperandMode mode>
void PerElementLoop(const TileOp& op, int64_t n) {
  PerElement<F, T>(static_cast<const T*>(op.in[0]), mode == kScalarVector ? 0 : 1, static_cast<const T*>(op.in[1]),
                   mode == kVectorScalar ? 0 : 1, static_cast<T*>(op.out), n);
}
template <class F, TileType P>
void FillBinaryOf(KernelTable& table, BinaryOp op) {
  auto& entries = table.binary[static_cast<int>(op)][static_cast<int>(P)];
  entries[kVectorVector] = &PerElementLoop<F, Cpp<P>, kVectorVector>;
  entries[kVectorScalar] = &PerElementLoop<F, Cpp<P>, kVectorScalar>;
  entries[kScalarVector] = &PerElementLoop<F, Cpp<P>, kScalarVector>;
}

struct LogisticFn {
  template <class T>
  static T Apply(T x) {
    if constexpr (std::is_same_v<T, float>) return static_cast<float>(1 / (1 + __builtin_exp(-static_cast<double>(x))));
    else if (x < -36) return __builtin_exp(x);  // exp(-x) may overflow, and the 1 does not matter
    else return 1 / (1 + __builtin_exp(-x));
  }
};

template <TileType P>
void FillMathOf(KernelTable& table) {
  constexpr int p = static_cast<int>(P);
  using T = Cpp<P>;
  auto unary = [&]<class F>(UnaryOp op, F) { table.unary[static_cast<int>(op)][p] = &UnaryLoop<F, T>; };
  unary(UnaryOp::kCbrt, CbrtFn());
  unary(UnaryOp::kExp, ExpFn());
  unary(UnaryOp::kExpm1, Expm1Fn());
  unary(UnaryOp::kLog, LogFn());
  unary(UnaryOp::kLog1p, Log1pFn());
  unary(UnaryOp::kLogistic, LogisticFn());
  unary(UnaryOp::kTanh, TanhFn());
  unary(UnaryOp::kSin, SinFn());
  unary(UnaryOp::kCos, CosFn());
  unary(UnaryOp::kTan, TanFn());
  unary(UnaryOp::kSinh, SinhFn());
  unary(UnaryOp::kCosh, CoshFn());
  unary(UnaryOp::kAsin, AsinFn());
  unary(UnaryOp::kAcos, AcosFn());
  unary(UnaryOp::kAsinh, AsinhFn());
  unary(UnaryOp::kAcosh, AcoshFn());
  unary(UnaryOp::kAtanh, AtanhFn());
  unary(UnaryOp::kErf, ErfFn());
  FillBinaryOf<PowerFn, P>(table, BinaryOp::kPower);
  FillBinaryOf<Atan2Fn, P>(table, BinaryOp::kAtan2);
  FillBinaryOf<RemainderFn, P>(table, BinaryOp::kRemainder);
}

template <TileType P>
void FillDivisionOf(KernelTable& table) {
  FillBinaryOf<DivideFn, P>(table, BinaryOp::kDivide);
  FillBinaryOf<RemainderFn, P>(table, BinaryOp::kRemainder);
}

}  // namespace

void FillPerElement(KernelTable& table) {
  FillMathOf<TileType::kF32>(table);
  FillMathOf<TileType::kF64>(table);
  FillDivisionOf<TileType::kS8>(table);
  FillDivisionOf<TileType::kU8>(table);
  FillDivisionOf<TileType::kS16>(table);
  FillDivisionOf<TileType::kU16>(table);
  FillDivisionOf<TileType::kS32>(table);
  FillDivisionOf<TileType::kU32>(table);
  FillDivisionOf<TileType::kS64>(table);
  FillDivisionOf<TileType::kU64>(table);
}

}  // namespace hloir::cpu
