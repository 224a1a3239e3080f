// The kernels of elementwise ops with two operands. What each does to a pair of elements: scalar_ops.h.
#include "reference/kernels.h"

namespace hloir::reference {

Kernel FindBinaryKernel(HloOpcode opcode, PrimitiveType type) {
  switch (opcode) {
// clang-format off
#define BINARY(Name) \
  case HloOpcode::k##Name: return BinaryKernel<Name##Op>(type);
    BINARY(Add) BINARY(And) BINARY(Atan2) BINARY(Complex) BINARY(Divide) BINARY(Maximum) BINARY(Minimum) BINARY(Mulhi)
    BINARY(Multiply) BINARY(Or) BINARY(Power) BINARY(Remainder) BINARY(ShiftLeft) BINARY(ShiftRightArithmetic)
    BINARY(ShiftRightLogical) BINARY(Subtract) BINARY(Xor)
#undef BINARY
    default: return nullptr;  // another file's opcode
  }
  // clang-format on
}

Kernel FindCompareKernel(const CompareAttributes& attributes, PrimitiveType type) {
  const bool total = attributes.type == ComparisonType::kFloatTotalOrder;
  switch (attributes.direction) {
// clang-format off
#define DIRECTION(d)             \
  case ComparisonDirection::d:   \
    return total ? BinaryKernel<TotalOrderCompareOp<ComparisonDirection::d>>(type) \
                 : BinaryKernel<CompareOp<ComparisonDirection::d>>(type);
    DIRECTION(kEq) DIRECTION(kNe) DIRECTION(kGe) DIRECTION(kGt) DIRECTION(kLe) DIRECTION(kLt)
#undef DIRECTION
    // clang-format on
  }
  return nullptr;
}

}  // namespace hloir::reference
