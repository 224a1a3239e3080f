// The kernels of elementwise ops with two operands. scalar_ops.h has the operations on elements.
#include "reference/kernels.h"

namespace hloir::reference {
namespace {

template <int arity, class Op>
Kernel BinaryKernelFor(PrimitiveType type) {
  if constexpr (arity == 2 && HasScalarOp<Op>) return BinaryKernel<Op>(type);
  else return nullptr;  // another file's, or none
}

}  // namespace

Kernel FindBinaryKernel(HloOpcode opcode, PrimitiveType type) {
  using namespace opcode_rows;
  switch (opcode) {
#define HLOIR_OP(name, text, arity, ...) \
  case HloOpcode::k##name:               \
    return BinaryKernelFor<arity, name##Op>(type);
#include "hloir/opcodes.def"
#undef HLOIR_OP
  }
  return nullptr;
}

Kernel FindCompareKernel(const CompareAttributes& attributes, PrimitiveType type) {
  const bool total = attributes.type == ComparisonType::kFloatTotalOrder;
  switch (attributes.direction) {
// clang-format off
#define DIRECTION(d)             \
  case ComparisonDirection::d:   \
    return total ? BinaryKernel<TotalOrderCompareElement<ComparisonDirection::d>>(type) \
                 : BinaryKernel<CompareElement<ComparisonDirection::d>>(type);
    DIRECTION(kEq) DIRECTION(kNe) DIRECTION(kGe) DIRECTION(kGt) DIRECTION(kLe) DIRECTION(kLt)
#undef DIRECTION
    // clang-format on
  }
  return nullptr;
}

}  // namespace hloir::reference
