// VectorTruth: see transcendentals.h. Compiled with -ffast-math, with which g++ calls libm's vector functions (glibc's
// libmvec); elsewhere these are plain loops over libm.
#include <cmath>

#include "exhaustive/transcendentals.h"

namespace hloir::sweep {
namespace {

#define HLOIR_VECTORS(name, expression)                                                  \
  HLOIR_CLONES void name(const float* xs, const float* ys, double* out, int64_t count) { \
    for (int64_t i = 0; i < count; ++i) {                                                \
      const double x = xs[i];                                                            \
      out[i] = expression;                                                               \
    }                                                                                    \
    (void)ys;                                                                            \
  }
HLOIR_VECTORS(Acos, std::acos(x))
HLOIR_VECTORS(Acosh, std::acosh(x))
HLOIR_VECTORS(Asin, std::asin(x))
HLOIR_VECTORS(Asinh, std::asinh(x))
HLOIR_VECTORS(Atanh, std::atanh(x))
HLOIR_VECTORS(Atan2, std::atan2(x, static_cast<double>(ys[i])))
HLOIR_VECTORS(Cbrt, std::cbrt(x))
HLOIR_VECTORS(Cos, std::cos(x))
HLOIR_VECTORS(Cosh, std::cosh(x))
HLOIR_VECTORS(Erf, std::erf(x))
HLOIR_VECTORS(Exp, std::exp(x))
HLOIR_VECTORS(Expm1, std::expm1(x))
HLOIR_VECTORS(Log, std::log(x))
HLOIR_VECTORS(Log1p, std::log1p(x))
HLOIR_VECTORS(Logistic, 1 / (1 + std::exp(-x)))
HLOIR_VECTORS(Power, std::pow(x, static_cast<double>(ys[i])))
HLOIR_VECTORS(Rsqrt, 1 / std::sqrt(x))
HLOIR_VECTORS(Sin, std::sin(x))
HLOIR_VECTORS(Sinh, std::sinh(x))
HLOIR_VECTORS(Sqrt, std::sqrt(x))
HLOIR_VECTORS(Tan, std::tan(x))
HLOIR_VECTORS(Tanh, std::tanh(x))

}  // namespace

void VectorTruth(HloOpcode opcode, const float* x, const float* y, double* out, int64_t count) {
  switch (opcode) {
#define HLOIR_CASE(name) \
  case HloOpcode::k##name: return name(x, y, out, count);
    // clang-format off
    HLOIR_CASE(Acos) HLOIR_CASE(Acosh) HLOIR_CASE(Asin) HLOIR_CASE(Asinh) HLOIR_CASE(Atanh) HLOIR_CASE(Atan2)
    HLOIR_CASE(Cbrt) HLOIR_CASE(Cos) HLOIR_CASE(Cosh) HLOIR_CASE(Erf) HLOIR_CASE(Exp) HLOIR_CASE(Expm1)
    HLOIR_CASE(Log) HLOIR_CASE(Log1p) HLOIR_CASE(Logistic) HLOIR_CASE(Power) HLOIR_CASE(Rsqrt) HLOIR_CASE(Sin)
    HLOIR_CASE(Sinh) HLOIR_CASE(Sqrt) HLOIR_CASE(Tan) HLOIR_CASE(Tanh)
    // clang-format on
#undef HLOIR_CASE
        // Not known here: as far off as can be, so that every value is looked at.
        default : for (int64_t i = 0; i < count; ++i) out[i] = HUGE_VAL;
  }
}

}  // namespace hloir::sweep
