// The kernels of elementwise ops with one operand. What each does to an element: scalar_ops.h.
#include "reference/kernels.h"

namespace hloir::reference {

Kernel FindUnaryKernel(HloOpcode opcode, PrimitiveType type) {
  switch (opcode) {
// clang-format off
#define UNARY(Name) \
  case HloOpcode::k##Name: return UnaryKernel<Name##Op>(type);
    UNARY(Abs) UNARY(Ceil) UNARY(Clz) UNARY(Floor) UNARY(Imag) UNARY(IsFinite) UNARY(Negate) UNARY(Not)
    UNARY(PopulationCount) UNARY(Real) UNARY(RoundNearestAfz) UNARY(RoundNearestEven) UNARY(Sign) UNARY(Copy)
    UNARY(Acos) UNARY(Acosh) UNARY(Asin) UNARY(Asinh) UNARY(Atanh) UNARY(Cbrt) UNARY(Cos) UNARY(Cosh) UNARY(Erf)
    UNARY(Exp) UNARY(Expm1) UNARY(Log) UNARY(Log1p) UNARY(Logistic) UNARY(Rsqrt) UNARY(Sin) UNARY(Sinh) UNARY(Sqrt)
    UNARY(Tan) UNARY(Tanh)
#undef UNARY
    default: return nullptr;  // another file's opcode
  }
  // clang-format on
}

}  // namespace hloir::reference
